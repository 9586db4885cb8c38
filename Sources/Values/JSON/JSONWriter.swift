public import CEL
internal import Support

/// Writes trees as the shortest JSON text.
///
/// Doubles are written in the shortest form that reads back the same, whole ones without fraction
/// (`68`) and beyond 2^53 with an exponent; int and uint as numbers of any size; bytes as base64
/// strings; timestamps by RFC 3339; durations as in the JSON mapping of protobuf (`"1.5s"`); an
/// optional as its value or null. NaN, infinities, types, and map keys other than strings, bools
/// and whole numbers cannot be written, nor can keys that are equal as text.
public enum JSONWriter {
    /// Appends `value` to `bytes`; after an error a part may have been appended.
    ///
    /// - Returns: whether reading the text back would give exactly this tree, so that the tree can
    ///   be kept.
    @discardableResult
    public static func append(_ value: Value, to bytes: inout [UInt8]) throws(JSONError) -> Bool {
        switch value {
        case .null:
            bytes.append(contentsOf: [0x6e, 0x75, 0x6c, 0x6c])
            return true
        case .bool(let flag):
            bytes.append(contentsOf: (flag ? "true" : "false").utf8)
            return true
        case .double(let number):
            guard number.isFinite else { throw JSONError(.inexpressible, at: bytes.count) }
            JSONNumber.append(number, to: &bytes)
            return true
        case .int(let number):
            JSONNumber.append(number, to: &bytes)
            return number.magnitude > 1 << 53
        case .uint(let number):
            JSONNumber.append(number, to: &bytes)
            return number > Int64.max
        case .string(let text):
            bytes.append(json: text)
            return true
        case .bytes(let data):
            bytes.append(UInt8(ascii: "\""))
            data.withBorrowedBytes { bytes.append(base64: $0) }
            bytes.append(UInt8(ascii: "\""))
            return false
        case .timestamp(let moment):
            bytes.append(json: moment.description)
            return false
        case .duration(let span):
            bytes.append(json: span.description)
            return false
        case .list(let list):
            return try append(list, to: &bytes)
        case .map(let map):
            return try append(map, to: &bytes)
        case .optional(let optional):
            try append(optional.value ?? .null, to: &bytes)
            return false
        case .type:
            throw JSONError(.inexpressible, at: bytes.count)
        }
    }

    private static func append(_ list: ValueList, to bytes: inout [UInt8]) throws(JSONError) -> Bool {
        var isSame = true
        try bytes.append(list: list.elements) { element, bytes throws(JSONError) in
            isSame = try append(element, to: &bytes) && isSame
        }
        return isSame
    }

    private static func append(_ map: ValueMap, to bytes: inout [UInt8]) throws(JSONError) -> Bool {
        var isSame = true
        bytes.append(UInt8(ascii: "{"))
        try bytes.append(separated: map) { entry, bytes throws(JSONError) in
            if case .string(let key) = entry.key {
                bytes.append(json: key)
            } else {
                isSame = false
                guard let key = keyText(entry.key), map[key] == nil else {
                    throw JSONError(.inexpressible, at: bytes.count)
                }
                bytes.append(json: key)
            }
            bytes.append(UInt8(ascii: ":"))
            isSame = try append(entry.value, to: &bytes) && isSame
        }
        bytes.append(UInt8(ascii: "}"))
        return isSame
    }

    private static func keyText(_ key: Value) -> String? {
        switch key {
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .uint(let number): String(number)
        default: nil
        }
    }
}
