internal import EventLoop
internal import RedisLog
internal import Support

/// The text of a key's value before it is validated.
public enum ConfigurationValue: Hashable, Sendable {
    /// One word or number.
    case scalar(String)
    /// Several words or numbers.
    case list([String])
}

/// How one kind of value is read from text and shown again.
struct ValueKind<Value>: Sendable {
    /// What is expected, for messages: `a duration such as 250ms or 5s`.
    let expects: String
    /// The same as members of a JSON Schema: `"type": "boolean"`.
    let schema: String
    let read: @Sendable (ConfigurationValue) -> Value?
    let show: @Sendable (Value) -> String
    /// What is wrong with an invalid value, if more can be said than ``expects``.
    var hint: @Sendable (ConfigurationValue) -> String? = { _ in nil }
}

extension ValueKind {
    fileprivate init(
        _ expects: String,
        _ schema: String,
        scalar read: @escaping @Sendable (String) -> Value?,
        show: @escaping @Sendable (Value) -> String
    ) {
        self.init(
            expects: expects,
            schema: schema,
            read: { value in
                guard case .scalar(let text) = value else { return nil }
                return read(text)
            },
            show: show
        )
    }
}

/// An address to listen on, as a regular expression.
private let addressPattern = #"unix:.+|\[[0-9A-Fa-f:.]+\]:[0-9]{1,5}|[^:\[\]/]+:[0-9]{1,5}"#

/// The schema of a text that matches a regular expression (ECMA-262).
private func text(pattern: String) -> String {
    "\"type\": \"string\", \"pattern\": \(String(json: pattern))"
}

extension ValueKind where Value == String {
    static var path: Self { Self("a path", #""type": "string""#, scalar: { $0 }, show: { $0 }) }
}

extension ValueKind where Value == Bool {
    static var flag: Self {
        Self(
            "true or false",
            #""type": "boolean""#,
            scalar: { $0 == "true" ? true : $0 == "false" ? false : nil },
            show: { $0 ? "true" : "false" }
        )
    }
}

extension ValueKind where Value == Endpoint {
    static var address: Self {
        Self(
            "address:port, [address]:port or unix:path",
            text(pattern: "^(\(addressPattern))$"),
            scalar: { Endpoint($0) },
            show: { $0.description }
        )
    }
}

extension ValueKind where Value == Endpoint? {
    static var optionalAddress: Self {
        Self(
            "address:port, [address]:port, unix:path or empty",
            text(pattern: "^(|\(addressPattern))$"),
            scalar: { text in text.isEmpty ? .some(nil) : Endpoint(text).map { .some($0) } },
            show: { $0?.description ?? "" }
        )
    }
}

extension ValueKind where Value == RedisAddress? {
    static var redis: Self {
        Self(
            "redis://[[user]:password@]host[:port][/database], rediss://… for TLS, unix:path or empty",
            text(
                pattern:
                    #"^(rediss?://([^:@/]*:[^@/]*@)?(\[[0-9A-Fa-f:.]+\]|[^:@/\[\]]+)(:[0-9]{1,5})?(/[0-9]{0,5})?|unix:.+)?$"#
            ),
            scalar: { text in text.isEmpty ? .some(nil) : RedisAddress(text).map { .some($0) } },
            show: { $0?.shown ?? "" }
        )
    }
}

extension ValueKind where Value == String {
    /// A name as graphs have one, or nothing.
    static var optionalName: Self {
        Self(
            "'' or a name: 1 to 128 letters, digits, '_', '.' or '-'",
            text(pattern: "^$|\(Name.pattern)"),
            scalar: { $0.isEmpty || Name.isValid($0) ? $0 : nil },
            show: { $0 }
        )
    }

    /// The prefix of names of keys.
    static var prefix: Self {
        Self(
            "1 to 64 letters, digits, '.', '_', ':' or '-'",
            text(pattern: "^[A-Za-z0-9_.:-]{1,64}$"),
            scalar: { text in
                let isPlain = text.utf8.allSatisfy { ASCII.isWord($0) || ".:-".utf8.contains($0) }
                return (1...64).contains(text.utf8.count) && isPlain ? text : nil
            },
            show: { $0 }
        )
    }
}

extension ValueKind where Value: FixedWidthInteger & Sendable {
    /// A number that is not configurable.
    static var number: Self { integer(0...Value(Int32.max)) }
    /// The same in bytes.
    static var size: Self { bytes(0...Value(Int32.max)) }

    static func integer(_ range: ClosedRange<Value>) -> Self {
        Self(
            "an integer from \(range.lowerBound) to \(range.upperBound)",
            "\"type\": \"integer\", \"minimum\": \(range.lowerBound), \"maximum\": \(range.upperBound)",
            scalar: { Self.integer($0, in: range) },
            show: { String($0) }
        )
    }

    static func bytes(_ range: ClosedRange<Value>) -> Self {
        Self(
            "a number of bytes from \(range.lowerBound) to \(range.upperBound), such as 65536 or 64KiB",
            ##""$ref": "#/$defs/bytes""##,
            scalar: { text in
                for (unit, factor) in [("KiB", 1024 as Value), ("MiB", 1024 * 1024)]
                where text.hasSuffix(unit) {
                    let number = text.dropLast(unit.count)
                    guard let count = Self.integer(String(number), in: 0...range.upperBound / factor) else {
                        return nil
                    }
                    return range.contains(count * factor) ? count * factor : nil
                }
                return Self.integer(text, in: range)
            },
            show: { bytes in
                let kibibytes = bytes / 1024
                guard bytes > 0, bytes % 1024 == 0 else { return String(bytes) }
                return kibibytes % 1024 == 0 ? "\(kibibytes / 1024)MiB" : "\(kibibytes)KiB"
            }
        )
    }

    private static func integer(_ text: String, in range: ClosedRange<Value>) -> Value? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Value(text) else {
            return nil
        }
        return range.contains(number) ? number : nil
    }
}

extension ValueKind where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        Self(
            "a duration from \(show(range.lowerBound)) to \(show(range.upperBound)), such as 250ms, 5s, 2m or 1h",
            ##""$ref": "#/$defs/duration""##,
            scalar: { text in
                guard let duration = read(text), range.contains(duration) else { return nil }
                return duration
            },
            show: show
        )
    }

    fileprivate static func read(_ text: String) -> Duration? {
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

    fileprivate static func show(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        if milliseconds % 1000 != 0 || milliseconds == 0 { return "\(milliseconds)ms" }
        let seconds = milliseconds / 1000
        if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        return seconds % 60 == 0 && seconds > 300 ? "\(seconds / 60)m" : "\(seconds)s"
    }
}

extension ValueKind where Value: FixedWidthInteger & Sendable {
    /// Milliseconds that are not configurable, written as a duration.
    static var time: Self {
        let kind = ValueKind<Duration>.duration(.zero ... .seconds(86400))
        return Self(
            kind.expects,
            kind.schema,
            scalar: { kind.read(.scalar($0)).map { Value($0.milliseconds) } },
            show: { kind.show(.milliseconds(Int64($0))) }
        )
    }
}

extension ValueKind where Value == [String] {
    /// A list; in the environment and on the command line YAML's `[a, b]`, or words with commas
    /// between them.
    ///
    /// A list of `word=value` (`isMapping`) may also be a mapping of words to values or lists.
    static func names(
        _ what: String,
        pattern: String,
        isMapping: Bool = false,
        where isValid: @escaping @Sendable (String) -> Bool,
        normalize: @escaping @Sendable (String) -> String = { $0 },
        advice: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> Self {
        let list = "\"type\": \"array\", \"items\": {\(text(pattern: pattern))}"
        return Self(
            expects: "a list of \(what)",
            schema: isMapping ? "\"anyOf\": [{\(list)}, {\"$ref\": \"#/$defs/mapping\"}]" : list,
            read: { value in
                let names = value.names
                return names.allSatisfy(isValid) ? names.map(normalize) : nil
            },
            show: { "[\($0.joined(separator: ", "))]" },
            hint: { value in
                value.names.first { !isValid($0) }.map { name in
                    let advice = advice(name).map { ": \($0)" } ?? ""
                    return "'\(name)' is not valid\(advice)"
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
        let isYAML = text.contains(where: "[{".contains)
        let document = isYAML ? YAMLReader.read(Array(text.utf8), file: nil).document : nil
        if let document, case .list(let list)? = ConfigurationValue(document) { return list }
        return text.split(separator: ",").map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension ValueKind
where Value: RawRepresentable & CaseIterable & SendableMetatype, Value.RawValue == String {
    static var word: Self {
        Self(
            "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "),
            "\"enum\": [\(Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))]",
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
