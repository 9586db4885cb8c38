internal import ReactiveGraph
package import Support

/// A picture of a graph as text: JSON, or a diagram.
///
/// The same graph gives the same text (G-106).
public struct PictureText {
    let graph: LiveGraph
    let picture: Picture
    private let isLive: Bool
    private let access: Access?

    /// A picture of a graph, or of a part; with `live` also the nodes of client pipelines and the
    /// listeners.
    public init(of graph: LiveGraph, live isLive: Bool, around surroundings: Surroundings? = nil) {
        self.init(of: graph, live: isLive, nodes: nil, nil, around: surroundings)
    }

    /// The same, limited to these nodes and families if they are given.
    init(
        of graph: LiveGraph,
        live isLive: Bool,
        nodes: [NamedNode]?,
        _ families: [NodeFamily]? = nil,
        around surroundings: Surroundings? = nil,
        for access: Access? = nil
    ) {
        self.graph = graph
        self.isLive = isLive
        self.access = access
        picture = Picture(
            of: graph,
            isLive: isLive,
            nodes: nodes,
            families: families,
            surroundings: surroundings
        )
    }

    /// `{"graph","epoch","rev","t","nodes":[…],"edges":[…],"listeners":[…]}`.
    public func json() -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("{\"graph\":")
        buffer.append(json: graph.name)
        Answer.appendCursor(of: graph, to: &buffer)
        Answer.appendTime(of: graph, to: &buffer)
        buffer.append(",\"nodes\":")
        buffer.append(list: picture.entries) { $0.append(to: &$1, isLive: isLive, for: access) }
        buffer.append(",\"edges\":")
        buffer.append(list: picture.links) { $0.append(to: &$1) }
        if !picture.families.isEmpty {
            buffer.append(",\"families\":")
            buffer.append(list: picture.families) { $0.append(to: &$1) }
        }
        if isLive {
            buffer.append(",\"listeners\":")
            buffer.append(list: picture.listeners) { $0.append(to: &$1) }
        }
        buffer.append("}")
        return Array(buffer.bytes)
    }

    /// The listeners and their nodes: `{"listeners":[…]}`, entries as in a live picture.
    public func listenersJSON() -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("{\"listeners\":")
        buffer.append(list: picture.listeners) { $0.append(to: &$1) }
        buffer.append("}")
        return Array(buffer.bytes)
    }
}

extension ByteBuffer {
    fileprivate mutating func append(field name: StaticString, _ text: String?) {
        guard let text else { return }
        append(",\"")
        append(name)
        append("\":")
        append(json: text)
    }

    /// Appends the properties of a node, or of each member of a family, from the definition.
    mutating func append(facts definition: NodeDefinition, inputs: [String]) {
        append(field: "title", definition.title)
        append(field: "unit", definition.unit)
        append(field: "description", definition.description)
        if let alarm = definition.alarm {
            append(field: "severity", alarm.severity.rawValue)
            if let ok = alarm.ok {
                append(",\"ok\":")
                ok.withBytes { append($0) }
            }
        }
        switch definition.kind {
        case .mutable(let rules):
            append(rules: rules)
        case .derived(let derived):
            append(field: "op", derived.source.name)
            if !derived.pipe.isEmpty {
                append(field: "label", derived.pipe.map(\.label).joined(separator: " | "))
            }
            append(",\"inputs\":")
            append(list: inputs) { $1.append(json: $0) }
        }
        append(field: "retain", definition.retain.rawValue)
        if definition.history > 0 {
            append(",\"history\":")
            append(decimal: definition.history)
        }
    }
}

extension Picture.Link {
    /// Appends `{"e":31,"from":12,"to":14,"queued":0}`.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{\"e\":")
        buffer.append(decimal: number)
        buffer.append(",\"from\":")
        buffer.append(decimal: from)
        buffer.append(",\"to\":")
        buffer.append(decimal: to)
        buffer.append(",\"queued\":")
        buffer.append(decimal: queued)
        if isInner { buffer.append(",\"inner\":true") }
        if isFeedback { buffer.append(",\"feedback\":true") }
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
        if let number {
            buffer.append("\"n\":")
            buffer.append(decimal: number)
            buffer.append(",")
        }
        buffer.append("\"kind\":")
        buffer.append(json: kind)
        if let named { append(named, for: access, to: &buffer) }
        if named == nil, isLive, let node { buffer.append(change: graph.lastChange(of: node)) }
        if let record {
            buffer.append(field: "op", record.stage)
            buffer.append(field: "label", record.label)
            buffer.append(field: "chain", record.hash.text)
        } else if let inner {
            buffer.append(field: "of", inner.part.name)
            buffer.append(field: "op", inner.part.stage)
            buffer.append(field: "label", inner.part.label)
        } else if named == nil {
            buffer.append(field: "label", node?.name)
        }
        if let members {
            buffer.append(",\"all\":{\"glob\":")
            buffer.append(json: members.glob)
            buffer.append(",\"members\":")
            buffer.append(decimal: members.count)
            buffer.append("}")
        }
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
            buffer.append(",\"count\":")
            buffer.append(decimal: node.emissionCount)
            buffer.append(",\"born\":")
            buffer.append(decimal: born)
        }
        buffer.append(",\"owners\":")
        Self.append(owners: owners, to: &buffer)
        if owners.count > Self.mostOwners {
            buffer.append(",\"ownerCount\":")
            buffer.append(decimal: owners.count)
        }
    }

    /// Appends `["c:7","c:9/panel","k:3"]`.
    static func append(owners: [Picture.Owner], to buffer: inout ByteBuffer) {
        buffer.append(list: Array(owners.prefix(mostOwners))) { owner, buffer in
            buffer.append("\"")
            buffer.append(utf8: owner.holder.text)
            if let name = owner.name {
                buffer.append("/")
                buffer.append(utf8: name)
            }
            buffer.append("\"")
        }
    }

    private func append(_ named: NamedNode, for access: Access?, to buffer: inout ByteBuffer) {
        let definition = named.definition
        buffer.append(field: "name", named.name)
        if node == nil { buffer.append(",\"exists\":false") }
        buffer.append(field: "family", named.family?.pattern.text)
        buffer.append(facts: definition, inputs: inputs)
        if named.isMutable {
            buffer.append(field: "role", named.role.rawValue)
            if let access, !access.rights(on: named).contains(.set) { buffer.append(",\"readOnly\":true") }
        }
        buffer.append(change: named.lastChange)
    }
}

extension Picture.Listener {
    /// Appends the entry; `observer` is the session it is written for.
    func append(to buffer: inout ByteBuffer, for observer: Session? = nil) {
        buffer.append("{\"l\":")
        buffer.append(json: holder.text)
        buffer.append(field: "client", client)
        if let observer, holder == .connection(observer.number) { buffer.append(",\"you\":true") }
        buffer.append(field: "transport", transport)
        buffer.append(",\"since\":")
        buffer.append(decimal: since)
        buffer.append(",\"on\":")
        buffer.append(list: on) { $1.append(decimal: $0) }
        buffer.append(families: families)
        buffer.append(ownerNames: owners)
        buffer.append(",\"queued\":")
        buffer.append(decimal: queued)
        buffer.append(",\"folded\":")
        buffer.append(decimal: folded)
        if let kept { Self.append(kept, to: &buffer) }
        buffer.append("}")
    }

    /// Appends `,"kept":{"of":"c:7","age":41250,"until":…}`.
    private static func append(_ kept: Kept, to buffer: inout ByteBuffer) {
        buffer.append(",\"kept\":{\"of\":")
        buffer.append(json: kept.connection.text)
        buffer.append(",\"age\":")
        buffer.append(decimal: kept.age)
        buffer.append(",\"until\":")
        buffer.append(decimal: kept.until)
        buffer.append("}")
    }
}

extension ByteBuffer {
    /// Appends `,"c":…,"t":…`.
    fileprivate mutating func append(change: LogStamp) {
        append(",\"c\":")
        append(decimal: change.rev)
        append(",\"t\":")
        append(decimal: change.time)
    }

    /// Appends `,"owners":["panel","sidebar"]`; nothing if there are none.
    ///
    /// If there are more than a hundred, the first hundred and `ownerCount`.
    package mutating func append(ownerNames names: [String]) {
        guard !names.isEmpty else { return }
        let most = Picture.Entry.mostOwners
        append(",\"owners\":")
        append(list: Array(names.prefix(most))) { $1.append(json: $0) }
        guard names.count > most else { return }
        append(",\"ownerCount\":")
        append(decimal: names.count)
    }
}
