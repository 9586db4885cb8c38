import Foundation
import Testing

@testable import SluiceClient

@Suite("JSON")
struct JSONTests {
    @Test(
        "integers of 64 bits keep every digit",
        arguments: [
            ("9007199254740993", JSONValue.integer(9_007_199_254_740_993)),
            ("-9223372036854775808", .integer(.min)),
            ("9223372036854775807", .integer(.max)),
            ("18446744073709551615", .unsigned(.max)),
        ]
    )
    func integers(text: String, value: JSONValue) throws {
        #expect(try JSONText.decode(text) == value)
        #expect(try JSONText.encode(value) == text)
    }

    @Test("what is beyond 64 bits is the nearest number")
    func beyond() throws {
        #expect(try JSONText.decode("18446744073709551616") == .number(18_446_744_073_709_551_616))
        #expect(try JSONText.decode("1e300") == .number(1e300))
    }

    @Test("literals make values, and values come back as they were")
    func literals() throws {
        let value: JSONValue = ["a": [1, 2.5, true, nil, "ü/\n"], "b": ["c": -1]]
        #expect(try JSONText.decode(JSONText.encode(value)) == value)
        #expect(value["a"]?.array?.count == 5)
        #expect(value["b"]?["c"]?.int == -1)
        #expect(value["nothing"] == nil)
    }

    @Test(
        "escapes, surrogates and control characters",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00fc\ud83d\ude00""#, "ü😀"),
            (#""\ud83d""#, "\u{FFFD}"), ("\"ü😀\"", "ü😀"), (#""\u0000\u001f""#, "\0\u{1F}"),
        ]
    )
    func strings(text: String, value: String) throws {
        #expect(try JSONText.decode(text) == .string(value))
        #expect(try JSONText.decode(JSONText.encode(.string(value))) == .string(value))
    }

    @Test(
        "numbers come back as they were",
        arguments: [0.1, 1e300, .leastNonzeroMagnitude, -2.5, 1e17, 123_456_789.125]
    )
    func numbers(number: Double) throws {
        #expect(try JSONText.decode(JSONText.encode(.number(number))).double == number)
    }

    @Test("white space and empty containers")
    func layout() throws {
        #expect(try JSONText.decode(" {\r\n\t\"a\" : [ ] , \"b\" : { } } ") == ["a": [], "b": [:]])
    }

    @Test("what Foundation writes is read alike, and the reverse")
    func foundation() throws {
        let value: JSONValue = ["a": [1, 2.5, true, nil, "ü/\n\u{7F}"], "b": ["c": -1, "d": 1e-7]]
        let written = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        #expect(try JSONText.decode(written) == value)
        let text = try JSONText.encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
    }

    @Test(
        "malformed text is an error",
        arguments: [
            "", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":1,}", "{1:2}", "nul", "\"\\x\"", "\"\\u00g0\"",
            "\"\\ud83d\\u0041\"", "\"\n\"", "\"", "1 2", "01", "-", "1.", ".5", "1e", "+1", "1e999", "'a'",
            "\u{FEFF}1",
            String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
        ]
    )
    func malformed(text: String) {
        #expect(throws: (any Error).self) { try JSONText.decode(text) }
    }

    @Test("NaN cannot be sent")
    func notANumber() {
        #expect(throws: (any Error).self) { try JSONText.convert(Double.nan) }
        #expect(throws: (any Error).self) { try JSONText.encode(["v": JSONValue.number(.infinity)]) }
    }

    struct Weather: Codable, Equatable {
        var celsius: Double
        var wind: Int?
        var at: Date
    }

    @Test("the program's own types")
    func codable() throws {
        let weather = Weather(celsius: 21, wind: nil, at: Date(timeIntervalSince1970: 0))
        let json = try JSONText.convert(weather)
        #expect(json == ["celsius": 21, "at": "1970-01-01T00:00:00Z"])
        #expect(try JSONText.convert(json, to: Weather.self) == weather)
        #expect(try JSONText.convert(.integer(21), to: Double.self) == 21)
        #expect(try JSONText.convert(.integer(21), to: Int64.self) == 21)
        #expect(try JSONText.convert(.integer(7), to: UInt8.self) == 7)
        #expect(try JSONText.convert(.null, to: Double?.self) == .some(nil))
        #expect(throws: DecodingError.self) { try JSONText.convert("21", to: Double.self) }
        #expect(throws: DecodingError.self) { try JSONText.convert(.number(2.5), to: Int.self) }
        #expect(throws: DecodingError.self) { try JSONText.convert(.bool(true), to: Int.self) }
        #expect(throws: DecodingError.self) { try JSONText.convert(.integer(1), to: Bool.self) }
    }
}

@Suite("Addresses")
struct AddressTests {
    @Test(
        "an address of a server is that of its WebSocket",
        arguments: [
            ("http://127.0.0.1:8080", "ws://127.0.0.1:8080/v1/ws"),
            ("https://example.org/", "wss://example.org/v1/ws"),
            ("wss://example.org/behind/v1/ws", "wss://example.org/behind/v1/ws"),
            ("HTTP://[::1]:8080", "ws://[::1]:8080/v1/ws"),
        ]
    )
    func good(address: String, url: String) throws {
        #expect(try socketURL(address).absoluteString == url)
    }

    @Test("others are refused", arguments: ["", "127.0.0.1:8080", "ftp://example.org", "http://", "http:/x"])
    func bad(address: String) {
        let error = #expect(throws: SluiceError.self) {
            try SluiceClient(address, transport: ScriptedServer())
        }
        #expect(error?.code == "bad-address")
        #expect(error?.message.contains("'\(address)'") == true)
    }
}
