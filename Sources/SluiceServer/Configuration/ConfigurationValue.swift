internal import EventLoop
internal import RedisLog
internal import Support

/// What somebody wrote for a key, before the key has judged it.
public enum ConfigurationValue: Hashable, Sendable {
    /// One word or number.
    case scalar(String)
    /// A list of them.
    case list([String])
}

/// How one kind of value is read from text and shown again.
struct ValueKind<Value> {
    /// What is expected, for messages: `a duration such as 250ms or 5s`.
    let expects: String
    let read: (ConfigurationValue) -> Value?
    let show: (Value) -> String
    /// What is wrong with a value that cannot be read, where that can be said.
    var hint: (ConfigurationValue) -> String? = { _ in nil }
}

extension ValueKind {
    fileprivate init(
        _ expects: String,
        scalar read: @escaping (String) -> Value?,
        show: @escaping (Value) -> String
    ) {
        self.init(
            expects: expects,
            read: { value in
                guard case .scalar(let text) = value else { return nil }
                return read(text)
            },
            show: show
        )
    }
}

extension ValueKind where Value == String {
    static var path: Self { Self("a path", scalar: { $0 }, show: { $0 }) }
}

extension ValueKind where Value == Bool {
    static var flag: Self {
        Self(
            "true or false",
            scalar: { $0 == "true" ? true : $0 == "false" ? false : nil },
            show: { $0 ? "true" : "false" }
        )
    }
}

extension ValueKind where Value == Endpoint {
    static var address: Self {
        Self(
            "address:port, [address]:port or unix:path",
            scalar: { Endpoint($0) },
            show: { $0.description }
        )
    }
}

extension ValueKind where Value == Endpoint? {
    static var optionalAddress: Self {
        Self(
            "address:port, [address]:port, unix:path or empty",
            scalar: { text in text.isEmpty ? .some(nil) : Endpoint(text).map { .some($0) } },
            show: { $0?.description ?? "" }
        )
    }
}

extension ValueKind where Value == RedisAddress? {
    static var redis: Self {
        Self(
            "redis://[[user]:password@]host[:port][/database], rediss://… for TLS, unix:path or empty",
            scalar: { text in text.isEmpty ? .some(nil) : RedisAddress(text).map { .some($0) } },
            show: { $0?.shown ?? "" }
        )
    }
}

extension ValueKind where Value == String {
    /// What names of keys begin with.
    static var prefix: Self {
        Self(
            "1 to 64 letters, digits, '.', '_', ':' or '-'",
            scalar: { text in
                let isPlain = text.utf8.allSatisfy { ASCII.isWord($0) || ".:-".utf8.contains($0) }
                return (1...64).contains(text.utf8.count) && isPlain ? text : nil
            },
            show: { $0 }
        )
    }
}

extension ValueKind where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Self {
        Self(
            "an integer from \(range.lowerBound) to \(range.upperBound)",
            scalar: { Self.integer($0, in: range) },
            show: { String($0) }
        )
    }

    static func bytes(_ range: ClosedRange<Int>) -> Self {
        Self(
            "a number of bytes from \(range.lowerBound) to \(range.upperBound), such as 65536 or 64KiB",
            scalar: { text in
                for (unit, factor) in [("KiB", 1024), ("MiB", 1024 * 1024)] where text.hasSuffix(unit) {
                    let number = text.dropLast(unit.count)
                    guard let count = Self.integer(String(number), in: 0...range.upperBound / factor) else {
                        return nil
                    }
                    return range.contains(count * factor) ? count * factor : nil
                }
                return Self.integer(text, in: range)
            },
            show: { $0 > 0 && $0 % 1024 == 0 ? "\($0 / 1024)KiB" : String($0) }
        )
    }

    private static func integer(_ text: String, in range: ClosedRange<Int>) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(text) else {
            return nil
        }
        return range.contains(number) ? number : nil
    }
}

extension ValueKind where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        Self(
            "a duration from \(show(range.lowerBound)) to \(show(range.upperBound)), such as 250ms, 5s, 2m or 1h",
            scalar: { text in
                guard let duration = read(text), range.contains(duration) else { return nil }
                return duration
            },
            show: show
        )
    }

    private static func read(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        guard !digits.isEmpty, digits.utf8.count <= 12, let number = Int64(digits) else { return nil }
        switch text.dropFirst(digits.count) {
        case "", "ms": return .milliseconds(number)
        case "s": return .seconds(number)
        case "m": return .seconds(number * 60)
        case "h": return .seconds(number * 3600)
        default: return nil
        }
    }

    private static func show(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        if milliseconds % 1000 != 0 || milliseconds == 0 { return "\(milliseconds)ms" }
        let seconds = milliseconds / 1000
        if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        return seconds % 60 == 0 && seconds > 300 ? "\(seconds / 60)m" : "\(seconds)s"
    }
}

extension ValueKind where Value == [String] {
    /// A list; in the environment and on the command line YAML's `[a, b]`, or words with commas between them.
    static func names(
        _ what: String,
        where isValid: @escaping (String) -> Bool,
        suggest: @escaping (String) -> String? = { _ in nil }
    ) -> Self {
        Self(
            expects: "a list of \(what)",
            read: { value in
                let names = value.names
                return names.allSatisfy(isValid) ? names : nil
            },
            show: { "[\($0.joined(separator: ", "))]" },
            hint: { value in
                value.names.first { !isValid($0) }.map { name in
                    let instead = suggest(name).map { ": write '\($0)'" } ?? ""
                    return "'\(name)' is not valid\(instead)"
                }
            }
        )
    }
}

extension ConfigurationValue {
    /// The elements of a list, also of one written as text.
    fileprivate var names: [String] {
        guard case .scalar(let text) = self else {
            if case .list(let list) = self { return list }
            return []
        }
        let document = text.contains("[") ? YAMLReader.read(Array(text.utf8), file: nil).document : nil
        if let document, case .list(let list)? = ConfigurationValue(document) { return list }
        return text.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static var word: Self {
        Self(
            "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "),
            scalar: { Value(rawValue: $0) },
            show: { $0.rawValue }
        )
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
