package import CEL
internal import Support
package import Values

/// One expression as a stage uses it.
///
/// It adds the time if the expression asks for it, and converts the result to a value.
///
/// A failure is a value too.
package struct Evaluation {
    private let program: Program
    private let place: String
    private unowned let clock: any EvaluationClock
    /// The position in the arguments at which the expression expects the time of the newest commit
    /// among its inputs; 0: it does not use the time.
    private let timePlace: Int
    /// Whether it uses that time.
    private let needsTime: Bool
    /// The values of the placeholders, if the expression may use them; passed after the time.
    private let key: Value?
    /// In a client's pipeline, what counts the units.
    private let meter: (any Meter)?

    /// An evaluation that takes `count` values, in the order in which the expression declares its
    /// variables.
    package init(
        _ expression: Expression,
        taking count: Int,
        at place: String,
        by clock: any EvaluationClock,
        for meter: (any Meter)?,
        key: Value? = nil
    ) {
        program = expression.program
        self.place = place
        self.clock = clock
        self.key = expression.variables.last == Expression.keyName ? key : nil
        self.meter = meter
        let rest = expression.variables.dropFirst(count)
        timePlace = rest.first == Expression.timeName ? count : 0
        // Where it is only a part of another word, a timestamp is made in vain.
        needsTime = timePlace > 0 && expression.source.utf8.contains("time")
    }

    /// The value for one input.
    @inline(__always)
    func result(_ value: Value) throws(EvaluationError) -> Value {
        var spent = StageCost.runUnits
        defer { meter?.spend(spent) }
        if key != nil { return try result([value]) }
        guard timePlace > 0 else { return try program.evaluate(value, spent: &spent) }
        return try program.evaluate(value, time, spent: &spent)
    }

    func result(_ values: [Value]) throws(EvaluationError) -> Value {
        var spent = StageCost.runUnits
        defer { meter?.spend(spent) }
        spent += 2 * values.count
        var arguments = timePlace > 0 ? values + [time] : values
        if let key { arguments.append(key) }
        return try program.evaluate(arguments, spent: &spent)
    }

    /// The expression's value for one input, or its failure.
    package func datum(_ value: Value) -> Datum {
        do throws(EvaluationError) {
            return written(try result(value))
        } catch {
            return fail(error)
        }
    }

    /// The expression's value for several, or its failure.
    func datum(_ values: [Value]) -> Datum {
        do throws(EvaluationError) {
            return written(try result(values))
        } catch {
            return fail(error)
        }
    }

    /// A result as a value; writing a list or an object is charged, too.
    private func written(_ result: Value) -> Datum {
        let datum = Self.datum(result, at: place)
        if let meter, datum.isContainer { meter.spend(datum.numbersCost) }
        return datum
    }

    func fail(_ error: EvaluationError) -> Datum {
        .fail(error.code.rawValue, at: "\(place):\(error.offset)", error.message)
    }

    /// A result of the wrong type as a value.
    func fail(_ message: String) -> Datum {
        .fail("expr_type", at: place, message)
    }

    private var time: Value {
        guard needsTime else { return .null }
        return Timestamp(milliseconds: Int64(clamping: clock.evaluationTime)).map(Value.timestamp) ?? .null
    }

    /// A computed tree as a value; a tree that JSON cannot represent is a failure.
    static func datum(_ tree: Value, at place: String) -> Datum {
        do throws(JSONError) {
            return try Datum(tree: tree)
        } catch {
            return .fail("expr_bad_value", at: place, "the result cannot be written as JSON")
        }
    }
}

extension Datum {
    /// One unit for eight bytes of text, as in expressions.
    package var textCost: Int { knownByteCount >> 3 }

    /// The cost of writing or reading all of the text, number by number.
    package var numbersCost: Int { knownByteCount >> 1 }
}
