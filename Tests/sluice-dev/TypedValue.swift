internal import CEL
internal import Graphs
internal import Sessions
internal import Support

/// Values of expressions as JSON that keeps their types: `{"type":"int","value":"42"}`.
enum TypedValue {
    /// A text that is not a valid typed value.
    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    // MARK: Reading

    /// The value of a tree of JSON.
    static func value(_ tree: Value) throws(Malformed) -> Value {
        guard case .map(let map) = tree, case .string(let type)? = map["type"] else {
            throw Malformed(description: "a typed value is an object with 'type' and 'value'")
        }
        let content = map["value"] ?? .null
        guard let value = try value(type, content) else {
            throw Malformed(description: "this is not a value of type '\(type)'")
        }
        return value
    }

    private static func value(_ type: String, _ content: Value) throws(Malformed) -> Value? {
        switch (type, content) {
        case ("null", _): return .null
        case ("bool", .bool), ("string", .string): return content
        case ("int", .string(let digits)): return Int64(digits).map { .int($0) }
        case ("uint", .string(let digits)): return UInt64(digits).map { .uint($0) }
        case ("double", .string(let digits)): return Double(digits).map { .double($0) }
        case ("bytes", .string(let text)):
            return Base64.bytes(text.utf8, isCanonical: false).map { .bytes($0) }
        case ("list", .list(let elements)): return .list(ValueList(try values(elements)))
        case ("map", .list(let pairs)): return try map(pairs)
        case ("timestamp", .list(let parts)):
            guard let (seconds, nanos) = secondsAndNanos(parts) else { return nil }
            return Timestamp(seconds: seconds, nanos: nanos).map { .timestamp($0) }
        case ("duration", .list(let parts)):
            guard let (seconds, nanos) = secondsAndNanos(parts) else { return nil }
            return TimeSpan(seconds: seconds, nanos: nanos).map { .duration($0) }
        case ("type", .string(let name)): return .type(TypeName(rawValue: name))
        case ("optional", .null): return .optional(.none)
        case ("optional", _): return .optional(OptionalValue(try value(content)))
        default: return nil
        }
    }

    private static func values(_ trees: ValueList) throws(Malformed) -> [Value] {
        var values: [Value] = []
        for tree in trees {
            values.append(try value(tree))
        }
        return values
    }

    private static func map(_ pairs: ValueList) throws(Malformed) -> Value? {
        var builder = ValueMap.Builder(capacity: pairs.count)
        for pair in pairs {
            guard case .list(let parts) = pair, parts.count == 2 else { return nil }
            guard builder.append(key: try value(parts[0]), try value(parts[1])) else { return nil }
        }
        return .map(builder.finish())
    }

    private static func secondsAndNanos(_ parts: ValueList) -> (Int64, Int32)? {
        guard parts.count == 2, case .double(let seconds) = parts[0], case .double(let nanos) = parts[1],
            let seconds = Int64(exactly: seconds), let nanos = Int32(exactly: nanos)
        else { return nil }
        return (seconds, nanos)
    }

    // MARK: Writing

    /// Appends the typed form of `value`.
    static func append(_ value: Value, to text: inout [UInt8]) {
        switch value {
        case .null: append("null", "null", to: &text)
        case .bool(let flag): append("bool", "\(flag)", to: &text)
        case .int(let number): append("int", "\"\(number)\"", to: &text)
        case .uint(let number): append("uint", "\"\(number)\"", to: &text)
        case .double(let number): append("double", "\"\(shortest(number))\"", to: &text)
        case .string(let string): append("string", String(json: string), to: &text)
        case .bytes(let bytes): append("bytes", "\"\(Base64.text(bytes))\"", to: &text)
        case .timestamp(let moment): append("timestamp", "[\(moment.seconds),\(moment.nanos)]", to: &text)
        case .duration(let span): append("duration", "[\(span.seconds),\(span.nanos)]", to: &text)
        case .type(let type): append("type", String(json: type.rawValue), to: &text)
        case .list(let list):
            append("list", to: &text) { text in
                text.append(list: list) { append($0, to: &$1) }
            }
        case .map(let map):
            append("map", to: &text) { text in
                text.append(list: map) { entry, text in
                    text.append(list: [entry.key, entry.value]) { append($0, to: &$1) }
                }
            }
        case .optional(let optional):
            append("optional", to: &text) { text in
                if let value = optional.value {
                    append(value, to: &text)
                } else {
                    text += "null".utf8
                }
            }
        }
    }

    private static func append(_ type: String, _ content: String, to text: inout [UInt8]) {
        append(type, to: &text) { $0 += content.utf8 }
    }

    private static func append(_ type: String, to text: inout [UInt8], _ content: (inout [UInt8]) -> Void) {
        text += "{\"type\":\"\(type)\",\"value\":".utf8
        content(&text)
        text.append(UInt8(ascii: "}"))
    }

    private static func shortest(_ number: Double) -> String {
        number.isNaN ? "nan" : number.isInfinite ? (number < 0 ? "-inf" : "inf") : number.description
    }
}
