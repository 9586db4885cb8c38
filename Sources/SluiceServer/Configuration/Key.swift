/// One configurable setting: a row of ``Keys``.
///
/// A key `log.level` is `log: { level: debug }` in a file, `SLUICE_LOG_LEVEL` in the environment
/// and `--set log.level=debug` on the command line.
public struct Key<Value: Sendable>: Sendable {
    public let name: String
    let kind: ValueKind<Value>
    /// The value if none is configured.
    let standard: Value
    /// The value in the shipped file, if it differs.
    let shipped: Value?
    /// Its meaning; the file, the schema and the documentation use this text.
    public private(set) var text = ""

    init(_ name: String, _ kind: ValueKind<Value>, _ standard: Value, shipped: Value? = nil) {
        (self.name, self.kind, self.standard, self.shipped) = (name, kind, standard, shipped)
    }

    func means(_ text: String) -> Key {
        var row = self
        row.text = text
        return row
    }
}

/// A key, whatever the type of its value.
protocol AnyKey: Sendable {
    var name: String { get }
    var text: String { get }
    /// What a value must look like, for error texts: `true or false`.
    var expects: String { get }
    /// The same as members of a JSON Schema.
    var schema: String { get }
    /// Whether a value is a duration, which a number alone gives in milliseconds.
    var isDuration: Bool { get }
    /// The default as text, and the value in the shipped file.
    var standardText: String { get }
    var shippedText: String { get }

    /// Takes a value; returns false if it is invalid.
    func set(_ value: ConfigurationValue, in configuration: inout Configuration) -> Bool
    /// What is wrong with an invalid value, if more can be said than ``expects``.
    func hint(_ value: ConfigurationValue) -> String?
    func show(_ configuration: Configuration) -> String
}

extension Key: AnyKey {
    var expects: String { kind.expects }
    var schema: String { kind.schema }
    var isDuration: Bool { Value.self == Duration.self }
    var standardText: String { kind.show(standard) }
    var shippedText: String { kind.show(shipped ?? standard) }

    func set(_ value: ConfigurationValue, in configuration: inout Configuration) -> Bool {
        guard let value = kind.read(value) else { return false }
        configuration[self] = value
        return true
    }

    func hint(_ value: ConfigurationValue) -> String? { kind.hint(value) }
    func show(_ configuration: Configuration) -> String { kind.show(configuration[self]) }
}

extension AnyKey {
    /// The environment variable: `limits.connectionsPerAddress` is
    /// `SLUICE_LIMITS_CONNECTIONS_PER_ADDRESS`.
    var environmentName: String { environmentVariable(of: name) }
}

func environmentVariable(of key: String) -> String {
    key.reduce(into: "SLUICE_") { name, character in
        if character.isUppercase || character == "." { name += "_" }
        if character != "." { name += character.uppercased() }
    }
}
