internal import Graphs
internal import Commits
internal import Definitions
internal import ReactiveGraph
package import Support
internal import Values

extension ByteBuffer {
    /// Appends `["c:7","c:9/panel","k:3"]`, as many as are listed.
    mutating func append(owners: [Picture.Owner]) {
        append(list: Array(owners.prefix(Picture.Entry.mostOwners))) { owner, buffer in
            buffer.append("\"")
            buffer.append(utf8: owner.text)
            buffer.append("\"")
        }
    }

    /// Appends `"all":{"glob":…,"members":…}`, or nothing for nil.
    mutating func member(_ name: StaticString, _ all: AllMembers?) {
        guard let all else { return }
        member(name) { buffer in
            buffer.member("glob", all.glob)
            buffer.member("members", all.count)
        }
    }

    /// Appends the properties of a node, or of each member of a family, from the definition.
    mutating func append(facts definition: NodeDefinition, inputs: [String]) {
        member("title", definition.title)
        member("unit", definition.unit)
        if let words = definition.words?.all {
            member("words") { buffer in
                buffer.append(separated: words) { pair, buffer in
                    buffer.append(json: pair.value)
                    buffer.append(":")
                    buffer.append(json: pair.word)
                }
            }
        }
        member("icon", definition.icon)
        member("description", definition.description)
        member("severity", definition.alarm?.severity.rawValue)
        member("ok", definition.alarm?.ok)
        switch definition.kind {
        case .mutable(let rules):
            member("type", rules.check.kind.rawValue)
            for (word, json) in rules.shown {
                append(",")
                append(json: word)
                append(":")
                append(utf8: json)
            }
        case .derived(let derived):
            member("op", derived.source.name)
            if !derived.pipe.isEmpty {
                member("label", derived.pipe.map(\.label).joined(separator: " | "))
            }
            member("inputs", list: inputs) { $1.append(json: $0) }
        }
        member("retain", definition.retain.rawValue)
        if definition.history.count > 0 {
            member("history", definition.history.count)
        }
        if let steps = definition.history.steps {
            member("steps") { buffer in
                buffer.member("every", steps.every)
                buffer.member("for", steps.keep)
            }
        }
    }
}

extension Picture.Link {
    /// Appends `{"e":31,"from":12,"to":14,"queued":0}`.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("e", number)
        buffer.member("from", from)
        buffer.member("to", to)
        buffer.member("queued", queued)
        if isInner { buffer.member("inner", true) }
        if isFeedback { buffer.member("feedback", true) }
        if !owners.isEmpty {
            buffer.member("owners")
            buffer.append(owners: owners)
        }
        buffer.append("}")
    }
}

extension Picture.Entry {
    /// The most owners that one entry lists; the rest is counted.
    static let mostOwners = 100

    /// Appends the entry; with `isLive` also what changes while the node lives, and with `access`
    /// whether the caller may set it.
    func append(to buffer: inout ByteBuffer, isLive: Bool, for access: Access? = nil) {
        buffer.append("{")
        buffer.member("n", number)
        buffer.member("kind", kind)
        if let named { append(named, for: access, to: &buffer) }
        if named == nil, isLive, let node { buffer.append(change: graph.lastChange(of: node)) }
        if let record {
            buffer.member("op", record.stage)
            buffer.member("label", record.label)
            buffer.member("chain", record.hash.text)
            if record.isBehind { buffer.member("behind", true) }
        } else if let inner {
            buffer.member("of", inner.part.name)
            buffer.member("op", inner.part.stage)
            buffer.member("label", inner.part.label)
        } else if named == nil {
            buffer.member("label", node?.name)
        }
        buffer.member("all", members)
        if let node {
            buffer.append(",")
            Subscription.append(node.value, to: &buffer)
        }
        buffer.append(families: families)
        if isLive { appendLife(to: &buffer) }
        buffer.append("}")
    }

    private func appendLife(to buffer: inout ByteBuffer) {
        if let node {
            buffer.member("count", node.emissionCount)
            buffer.member("born", born)
        }
        buffer.member("owners")
        buffer.append(owners: owners)
        if owners.count > Self.mostOwners {
            buffer.member("ownerCount", owners.count)
        }
    }

    private func append(_ named: NamedNode, for access: Access?, to buffer: inout ByteBuffer) {
        let definition = named.definition
        buffer.member("name", named.name)
        if node == nil { buffer.member("exists", false) }
        buffer.member("family", named.family?.pattern.text)
        buffer.append(facts: definition, inputs: inputs)
        if named.isMutable {
            buffer.member("role", named.role.rawValue)
            if let access, !access.rights(on: named).contains(.set) { buffer.member("readOnly", true) }
        }
        buffer.append(change: named.lastChange)
    }
}

extension Picture.Listener {
    func append(to buffer: inout ByteBuffer, for observer: Session? = nil) {
        buffer.append("{")
        buffer.member("l", holder.text)
        buffer.member("client", client)
        if let observer, holder == .connection(observer.number) { buffer.member("you", true) }
        buffer.member("transport", transport)
        buffer.member("since", since)
        buffer.member("on", list: on) { $1.append(decimal: $0) }
        buffer.append(families: families)
        buffer.append(ownerNames: owners)
        buffer.member("queued", queued)
        buffer.member("folded", folded)
        if let kept {
            buffer.member("kept") { buffer in
                buffer.member("of", kept.connection.text)
                buffer.member("age", kept.age)
                buffer.member("until", kept.until)
            }
        }
        buffer.append("}")
    }
}

extension ByteBuffer {
    /// Appends `,"c":…,"t":…`.
    fileprivate mutating func append(change: LogStamp) {
        member("c", change.rev)
        member("t", change.time)
    }

    /// Appends `,"owners":["panel","sidebar"]`; nothing if there are none.
    ///
    /// If there are more than a hundred, the first hundred and `ownerCount`.
    package mutating func append(ownerNames names: [String]) {
        guard !names.isEmpty else { return }
        let most = Picture.Entry.mostOwners
        member("owners", list: Array(names.prefix(most))) { $1.append(json: $0) }
        guard names.count > most else { return }
        member("ownerCount", names.count)
    }
}
