#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// JSON as text and as the program's own types.
///
/// Dates are texts of ISO 8601, `Data` is Base64: what programs in other languages can read.
enum JSONText {
    /// - Throws: ``JSONParser/Malformed`` for text that is not JSON.
    static func decode(_ text: String) throws -> JSONValue {
        try JSONParser.parse(text)
    }

    /// - Throws: ``JSONWriter/NotFinite`` for NaN and infinities.
    static func encode(_ value: JSONValue) throws -> String {
        try JSONWriter.text(of: value)
    }

    static func encode(_ object: JSONObject) throws -> String {
        try encode(.object(object))
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
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(encode(json).utf8))
    }

    private static func number(_ json: JSONValue, as type: Any.Type) -> Any? {
        switch type {
        case is Double.Type: json.double
        case is Int.Type: json.int
        case is Int64.Type: json.int.map { Int64($0) }
        default: nil
        }
    }

    /// One of the program's own values as JSON.
    ///
    /// - Throws: `EncodingError` for what JSON cannot express, such as NaN.
    static func convert(_ value: some Encodable) throws -> JSONValue {
        switch value {
        case let json as JSONValue: return json
        case let text as String: return .string(text)
        case let flag as Bool: return .bool(flag)
        case let integer as Int: return .integer(Int64(integer))
        default:
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            return try decode(String(decoding: encoder.encode(value), as: UTF8.self))
        }
    }
}
