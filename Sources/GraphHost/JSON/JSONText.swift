internal import Support

/// JSON texts put together from the texts of their parts, which stay as they are.
enum JSONText {
    /// The list of values, or the object of them under their names.
    static func joined(_ data: [Datum], names: [String]?) -> Datum {
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

    /// `{"key":…,"value":…}`.
    static func pair(_ key: Datum, _ value: Datum) -> Datum {
        var buffer = ByteBuffer()
        buffer.append("{\"key\":")
        key.withBytes { buffer.append($0) }
        buffer.append(",\"value\":")
        value.withBytes { buffer.append($0) }
        buffer.append("}")
        return Datum(JSONReader(validated: buffer.bytes))
    }

    /// What a pair is made of; nil for anything else.
    static func readPair<Result>(
        _ datum: Datum,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        datum.withBytes { bytes in
            let reader = JSONReader(validated: bytes)
            guard let key = reader["key"], let value = reader["value"] else { return nil }
            return body(key.bytes, value.bytes)
        }
    }
}
