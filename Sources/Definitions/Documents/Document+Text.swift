internal import Support
internal import Values

// A document as JSON text.
extension Document {
    /// The document as JSON on one line.
    ///
    /// An infinity, which JSON does not have, becomes a string: where it is allowed, any text is.
    /// The canonical form has sorted keys, so documents that differ only in the order of keys give
    /// the same text.
    public func json(isCanonical: Bool = false) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, isCanonical)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8], _ isCanonical: Bool) {
        switch content {
        case .scalar(let scalar): scalar.append(to: &bytes)
        case .sequence(let elements):
            bytes.append(list: elements) { $0.append(to: &$1, isCanonical) }
        case .mapping(var entries):
            if isCanonical {
                entries.sort { ($0.key.scalar?.text ?? "") < ($1.key.scalar?.text ?? "") }
            }
            bytes.append(UInt8(ascii: "{"))
            bytes.append(separated: entries) { entry, bytes in
                bytes.append(json: entry.key.scalar?.text ?? "")
                bytes.append(UInt8(ascii: ":"))
                entry.value.append(to: &bytes, isCanonical)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension Document {
    /// The JSON Pointer (RFC 6901) of a place: that of the innermost member or element that begins
    /// there or before.
    func pointer(to place: Position) -> String {
        var pointer = ""
        var document = self
        while true {
            switch document.content {
            case .scalar: return pointer
            case .sequence(let elements):
                let next = elements.partitioningIndex { $0.position > place }
                guard next > 0 else { return pointer }
                pointer += "/\(next - 1)"
                document = elements[next - 1]
            case .mapping(let entries):
                let next = entries.partitioningIndex { $0.key.position > place }
                guard next > 0 else { return pointer }
                let entry = entries[next - 1]
                pointer += "/"
                for character in entry.key.scalar?.text ?? "" {
                    switch character {
                    case "~": pointer += "~0"
                    case "/": pointer += "~1"
                    default: pointer.append(character)
                    }
                }
                document = entry.value
            }
        }
    }
}

extension Array {
    /// The first index whose element `isBehind`, by binary search, because a file may have as many
    /// problems as elements.
    fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var range = 0..<count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isBehind(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

extension Scalar {
    func append(to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): bytes.append(json: text)
        case .notFinite: bytes.append(json: text)
        }
    }
}
