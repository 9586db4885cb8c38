internal import GraphHost
internal import HTTP
internal import Support

/// JSON merge patches (RFC 7396), on texts: what a patch does not name keeps its bytes.
enum MergePatch {
    /// Appends `target` with `patch` applied.
    ///
    /// A target that is not an object counts as an empty object. The patch is a checked text: it
    /// nests at most as deep as the scanner allows, so recursion is bounded. Keys are the same when
    /// their characters are (RFC 8259 §8.3), not when they look alike, as Swift compares strings.
    static func append(_ patch: JSONReader, on target: JSONReader?, to bytes: inout [UInt8]) {
        guard patch.kind == .object else {
            bytes.append(contentsOf: patch.bytes)
            return
        }
        let old = target?.kind == .object ? target : nil
        var changes: [[UInt8]: JSONReader] = [:]
        for member in patch.members { changes[Array(member.key.string.utf8)] = member.value }
        var isFirst = true
        func begin(_ key: String) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            bytes.append(json: key)
            bytes.append(UInt8(ascii: ":"))
        }
        bytes.append(UInt8(ascii: "{"))
        if let old {
            for member in old.members {
                let key = member.key.string
                guard let change = changes.removeValue(forKey: Array(key.utf8)) else {
                    begin(key)
                    bytes.append(contentsOf: member.value.bytes)
                    continue
                }
                if change.kind == .null { continue }
                begin(key)
                append(change, on: member.value, to: &bytes)
            }
        }
        for member in patch.members where member.value.kind != .null {
            let key = member.key.string
            // What the target has as well has been taken out.
            guard changes[Array(key.utf8)] != nil else { continue }
            begin(key)
            append(member.value, on: nil, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension HTTPConnection {
    /// `PATCH …/nodes/{n}`: changes members of an object.
    ///
    /// The patch is computed from the present value and set only if it
    /// has not changed meanwhile.
    func patchNode(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .set) else { return }
        guard MediaType.isMergePatch(head) else {
            return refuseType("application/merge-patch+json")
        }
        let body = parser.body
        do throws(JSONError) {
            let patch = try JSONReader(checking: body)
            let reading = node.graph.read(node)
            var bytes: [UInt8] = []
            if case .value(let datum) = reading.held {
                datum.withBytes { MergePatch.append(patch, on: JSONReader(validated: $0), to: &bytes) }
            } else {
                MergePatch.append(patch, on: nil, to: &bytes)
            }
            // What could not be set at once cannot be put together by patches either.
            guard bytes.count <= server.parserLimits.bodyBytes else {
                let limit = server.parserLimits.bodyBytes
                let message =
                    "the patched value would have \(bytes.count) bytes; "
                    + "at most \(limit) are allowed (limits.body)"
                return refuse(Refusal(.tooLarge, message))
            }
            let value = try Datum.parse(String(decoding: bytes, as: UTF8.self))
            var commit = Commit(graph: node.graph)
            commit.set.append(Assignment(node, value))
            guard prepare(&commit, node, head) else { return }
            if node.isMutable, commit.conditions.isEmpty {
                commit.epoch = node.graph.epoch
                commit.conditions.append(Condition(node, .changedAt(reading.changed)))
            }
            let isMinimal = head.has(.prefer) && Preferences(head).returnsMinimal
            submit(commit, .set(isTagged: true, isMinimal: isMinimal))
        } catch {
            refuse(HostError(error, node: node.name))
        }
    }
}
