package import Support

/// Builds JSON texts from the unchanged texts of their parts.
package enum JSONText {
    /// The list of values, or the object with these names.
    package static func joined(_ data: [Datum], names: [String]?) -> Datum {
        var buffer = ByteBuffer()
        buffer.append(UInt8(ascii: names == nil ? "[" : "{"))
        for (place, datum) in data.enumerated() {
            if place > 0 { buffer.append(",") }
            if let names {
                buffer.append(json: names[place])
                buffer.append(":")
            }
            datum.withBytes { buffer.append($0) }
        }
        buffer.append(UInt8(ascii: names == nil ? "]" : "}"))
        return Datum(JSONReader(validated: buffer.bytes))
    }

    package static func pair(_ key: Datum, _ value: Datum) -> Datum {
        var buffer = ByteBuffer()
        buffer.append("{\"key\":")
        key.withBytes { buffer.append($0) }
        buffer.append(",\"value\":")
        value.withBytes { buffer.append($0) }
        buffer.append("}")
        return Datum(JSONReader(validated: buffer.bytes))
    }

    /// The key and the value of a pair; nil for anything else.
    package static func readPair<Result>(
        _ datum: Datum,
        _ body: (_ key: BorrowedBytes, _ value: BorrowedBytes) -> Result
    ) -> Result? {
        datum.withBytes { bytes in
            let reader = JSONReader(validated: bytes)
            guard let key = reader["key"], let value = reader["value"] else { return nil }
            return body(key.bytes, value.bytes)
        }
    }
}

extension ByteBuffer {
    /// Appends a member, or nothing for nil.
    package mutating func member(_ name: StaticString, _ datum: Datum?) {
        guard let datum else { return }
        member(name)
        datum.withBytes { append($0) }
    }

    /// Appends a member, or nothing for nil.
    package mutating func member(_ name: StaticString, _ number: Double?) {
        guard let number else { return }
        member(name)
        var digits: [UInt8] = []
        JSONNumber.append(number, to: &digits)
        append(digits)
    }
}

extension Datum {
    /// The text that all equal texts, numbers and booleans have: that of `JSON.stringify`.
    package var canonicalText: String {
        kind == .string
            ? String(json: withBytes { JSONReader(validated: $0).string } ?? "") : number?.text ?? text
    }
}
