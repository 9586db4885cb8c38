#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// JSON as text and as the program's own types.
///
/// Dates are texts of ISO 8601, `Data` is Base64: what programs in other languages can read.
enum JSONText {
    /// - Throws: `DecodingError` for text that is not JSON.
    static func decode(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    /// - Throws: `EncodingError` for what JSON cannot express, such as NaN.
    static func encode(_ value: some Encodable) throws -> String {
        String(decoding: try data(of: value), as: UTF8.self)
    }

    private static func data(of value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(value)
    }

    private static func value<Value: Decodable>(_: Value.Type, in data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: data)
    }

    /// The value as one of the program's own types.
    ///
    /// - Throws: `DecodingError` if it does not have that type.
    static func convert<Value: Decodable>(_ json: JSONValue, to type: Value.Type) throws -> Value {
        // The types that most nodes have need no detour over text.
        let known: Any? =
            switch json {
            case _ where type == JSONValue.self: json
            case .string(let text) where type == String.self: text
            case .bool(let flag) where type == Bool.self: flag
            case .integer, .unsigned, .number: number(json, as: type)
            default: nil
            }
        if let known = known as? Value { return known }
        return try value(type, in: data(of: json))
    }

    private static func number(_ json: JSONValue, as type: Any.Type) -> Any? {
        switch type {
        case is Double.Type: json.double
        case is Int.Type: json.int
        default: nil
        }
    }

    /// One of the program's own values as JSON.
    ///
    /// - Throws: `EncodingError` for what JSON cannot express, such as NaN.
    static func convert(_ value: some Encodable) throws -> JSONValue {
        switch value {
        case let json as JSONValue: json
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let integer as Int: .integer(Int64(integer))
        default: try self.value(JSONValue.self, in: data(of: value))
        }
    }
}
