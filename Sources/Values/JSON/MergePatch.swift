internal import Support

/// JSON merge patches (RFC 7396), on texts: what a patch does not name keeps its bytes.
package enum MergePatch {
    /// The text of `target` with `patch` applied; without a target, of an empty object.
    package static func apply(_ patch: JSONReader, to target: Datum?) -> [UInt8] {
        var bytes: [UInt8] = []
        if let target {
            target.withBytes { append(patch, on: JSONReader(validated: $0), to: &bytes) }
        } else {
            append(patch, on: nil, to: &bytes)
        }
        return bytes
    }

    /// Appends `target` with `patch` applied.
    ///
    /// A target that is not an object counts as an empty object. The patch is a checked text: it
    /// nests at most as deep as the scanner allows, so recursion is bounded. Keys are the same when
    /// their characters are (RFC 8259 §8.3), not when they look alike, as Swift compares strings.
    private static func append(_ patch: JSONReader, on target: JSONReader?, to bytes: inout [UInt8]) {
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
