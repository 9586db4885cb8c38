public import CEL

/// Writes trees as JSON text, as short as it can be.
///
/// Doubles in the shortest form that reads back the same, whole ones without fraction (`68`); int and uint as
/// numbers whatever their size; bytes as base64 strings; timestamps by RFC 3339; durations as in the JSON mapping
/// of protobuf (`"1.5s"`); an optional as its value or null. NaN, infinities, types, and map keys that are
/// neither strings, bools nor whole numbers cannot be written. Keys that become equal as text are refused too.
public enum JSONWriter {
    /// Appends `value` to `bytes`; on an error some of it may have been appended.
    ///
    /// - Returns: whether the tree read back from the text would be this very tree, so that it can be kept.
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
            return false
        case .uint(let number):
            JSONNumber.append(number, to: &bytes)
            return false
        case .string(let text):
            append(text, to: &bytes)
            return true
        case .bytes(let data):
            bytes.append(UInt8(ascii: "\""))
            Base64.append(data, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
            return false
        case .timestamp(let moment):
            append(RFC3339.text(of: moment), to: &bytes)
            return false
        case .duration(let span):
            append(RFC3339.text(of: span), to: &bytes)
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

    /// Appends a string with its quotes.
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var plain = 0
            for index in utf8.indices {
                let byte = utf8[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                    continue
                }
                bytes.append(contentsOf: utf8[plain..<index])
                appendEscape(byte, to: &bytes)
                plain = index + 1
            }
            bytes.append(contentsOf: utf8[plain...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        case 0x0c: bytes.append(UInt8(ascii: "f"))
        case 0x0d: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
        default: bytes.append(byte)
        }
    }

    private static func append(_ list: ValueList, to bytes: inout [UInt8]) throws(JSONError) -> Bool {
        var isSame = true
        bytes.append(UInt8(ascii: "["))
        for (index, element) in list.elements.enumerated() {
            if index > 0 {
                bytes.append(UInt8(ascii: ","))
            }
            isSame = try append(element, to: &bytes) && isSame
        }
        bytes.append(UInt8(ascii: "]"))
        return isSame
    }

    private static func append(_ map: ValueMap, to bytes: inout [UInt8]) throws(JSONError) -> Bool {
        var isSame = true
        bytes.append(UInt8(ascii: "{"))
        for (index, entry) in map.enumerated() {
            if index > 0 {
                bytes.append(UInt8(ascii: ","))
            }
            if case .string(let key) = entry.key {
                append(key, to: &bytes)
            } else {
                isSame = false
                guard let key = keyText(entry.key), map[key] == nil else {
                    throw JSONError(.inexpressible, at: bytes.count)
                }
                append(key, to: &bytes)
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
