package import Values

package struct StageReading {
    let reader: DocumentReader
    let row: OperatorRow
    /// The word as it was written: the operator's name or its alias.
    let word: String
    let argument: Document?
}

/// The argument of a stage: its schema, how it is read, and its canonical text.
///
/// Reading returns nil after recording the problems.
package protocol StageArgument: SendableMetatype {
    static var isOptional: Bool { get }
    /// Whether null is a value like any other.
    static var takesNull: Bool { get }
    static var schema: Schema { get }
    static func read(_ reading: StageReading) -> Self?
    /// Equal for arguments that mean the same; nil if there is no argument.
    var canonical: String? { get }
}

extension StageArgument {
    package static var isOptional: Bool { false }
    package static var takesNull: Bool { false }
}

struct NoArgument: StageArgument {
    package static var isOptional: Bool { true }
    static let schema = Schema.null
    var canonical: String? { nil }

    static func read(_ reading: StageReading) -> NoArgument? {
        guard let given = reading.argument else { return NoArgument() }
        reading.reader.add("\(reading.word) takes no argument", at: given.position)
        return nil
    }
}

extension Expression: StageArgument {
    package static let schema = Schema.expression
    package var canonical: String? { key }

    package static func read(_ reading: StageReading) -> Expression? {
        reading.argument.flatMap {
            reading.reader.expression($0, of: reading.word, variables: Expression.valueNames)
        }
    }
}

extension Optional: StageArgument where Wrapped == Expression {
    package static var isOptional: Bool { true }
    package static var schema: Schema { .either(.null, .expression) }
    package var canonical: String? { self?.key }

    package static func read(_ reading: StageReading) -> Expression?? {
        guard reading.argument != nil else { return .some(nil) }
        return Expression.read(reading).map { .some($0) }
    }
}

extension Datum: StageArgument {
    package static var takesNull: Bool { true }
    package static var schema: Schema { .any }
    package var canonical: String? { text }

    package static func read(_ reading: StageReading) -> Self? {
        reading.argument.flatMap { reading.reader.datum($0) } as? Self
    }
}

extension Int: StageArgument {
    package static let schema = Schema.count(0, Int(Int32.max))
    package var canonical: String? { String(self) }

    package static func read(_ reading: StageReading) -> Int? {
        reading.argument.flatMap {
            reading.reader.count($0, of: reading.word, in: 0...Int(Int32.max))
        }
    }
}

extension Stage.Span: StageArgument {
    package static let schema = Schema.duration
    package var canonical: String? { String(milliseconds) }

    package static func read(_ reading: StageReading) -> Stage.Span? {
        reading.argument.flatMap { reading.reader.span($0, of: reading.word) }
    }
}
