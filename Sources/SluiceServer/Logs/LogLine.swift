internal import Platform
internal import Logging
internal import Support

/// How entries look.
enum LogLine {
    struct Field: Sendable, Equatable {
        let name: String
        let text: String
        /// Whether JSON has it without quotes.
        let isNumber: Bool

        init(_ name: String, _ value: some CustomStringConvertible) {
            self.name = name
            text = value.description
            isNumber = value is any BinaryInteger
        }

        /// The same value for a logger.
        var metadata: Logger.MetadataValue {
            isNumber ? Int64(text).map { .number($0) } ?? .string(text) : .string(text)
        }

        init(_ name: String, metadata value: Logger.MetadataValue) {
            if case .stringConvertible(let value) = value {
                self.init(name, value)
            } else {
                self.init(name, value.description)
            }
        }
    }

    /// As text: `2026-01-02T03:04:05.678Z info serving listen=127.0.0.1:8080`.
    static func text(
        _ time: String,
        _ level: String,
        _ message: String,
        _ fields: [Field]
    ) -> String {
        let rest = fields.map { field in
            let text = field.text
            let needsQuotes = text.unicodeScalars.contains {
                !VisibleText.isShown($0) || $0 == " " || $0 == "\""
            }
            return " \(field.name)=" + (needsQuotes || text.isEmpty ? quoted(text) : text)
        }
        // A message with a line break in it must not look like two entries, nor one with others'
        // bytes move the cursor.
        let message = message.unicodeScalars.allSatisfy(VisibleText.isShown) ? message : quoted(message)
        return "\(time) \(level) \(message)\(rest.joined())\n"
    }

    /// As JSON: `{"time":…,"level":…,"message":…,…}`.
    static func json(
        _ time: String,
        _ level: String,
        _ message: String,
        _ fields: [Field]
    ) -> String {
        let rest = fields.map { ",\(quoted($0.name)):\($0.isNumber ? $0.text : quoted($0.text))" }
        return
            "{\"time\":\"\(time)\",\"level\":\"\(level)\",\"message\":\(quoted(message))\(rest.joined())}\n"
    }

    /// As a JSON string in which nothing is left that a terminal acts on.
    private static func quoted(_ text: String) -> String { VisibleText.line(String(json: text)) }
}

extension Logger.MetadataValue {
    /// A number, which is one in JSON too.
    static func number(_ number: some BinaryInteger & Sendable & CustomStringConvertible) -> Self {
        .stringConvertible(number)
    }
}

/// The present time as log entries show it (RFC 3339, UTC, milliseconds).
enum LogTime {
    static func now() -> String {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let civil = CivilTime(secondsSinceEpoch: Int64(time.tv_sec))
        return "\(civil).\(String(time.tv_nsec / 1_000_000, width: 3))Z"
    }
}
