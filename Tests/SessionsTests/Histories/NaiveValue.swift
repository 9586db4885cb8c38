/// The model that the histories compare the host with: written from the rules alone, slow and
/// plain.
enum Naive {
    /// A JSON value.
    indirect enum Value: Equatable, Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case list([Value])
        case object([Member])

        struct Member: Equatable, Sendable {
            let name: String
            let value: Value
        }

        /// The JSON text, as the host writes it.
        var json: String {
            switch self {
            case .null: return "null"
            case .bool(let bool): return "\(bool)"
            case .number(let number):
                return number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
            case .text(let text): return "\"\(text)\""
            case .list(let list): return "[\(list.map(\.json).joined(separator: ","))]"
            case .object(let members):
                return "{\(members.map { "\"\($0.name)\":\($0.value.json)" }.joined(separator: ","))}"
            }
        }

        var number: Double? {
            if case .number(let number) = self { number } else { nil }
        }

        subscript(name: String) -> Value? {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name == name }?.value
        }

        /// The object that a switch shows.
        static func pair(_ key: Value, _ value: Value) -> Value {
            .object([Member(name: "key", value: key), Member(name: "value", value: value)])
        }
    }

    /// Why something failed, and where.
    struct Failure: Error, Equatable, Sendable {
        let code: String
        var place = ""
        /// What an expression failed on, or what failed: the message may say so.
        var cause: [Value] = []
    }

    /// What a node holds.
    enum Held: Equatable {
        case empty
        case value(Value)
        case fail(Failure)

        var text: String {
            switch self {
            case .empty: "empty"
            case .value(let value): value.json
            case .fail(let failure): "fail:" + failure.code
            }
        }

        var isFail: Bool {
            if case .fail = self { true } else { false }
        }
    }

    /// An expression: what the definition says, and what it means.
    struct Expression: Sendable {
        let text: String
        let evaluate: @Sendable ([Value]) throws(Failure) -> Value

        init(_ text: String, _ evaluate: @escaping @Sendable ([Value]) throws(Failure) -> Value) {
            self.text = text
            self.evaluate = evaluate
        }

        /// The outcome for these values; a failure is one that happened at `place`.
        func result(_ values: [Value], at place: String) -> Held {
            do throws(Failure) {
                return .value(try evaluate(values))
            } catch {
                return .fail(Failure(code: error.code, place: place, cause: values))
            }
        }
    }
}

extension Naive.Expression {
    typealias Value = Naive.Value

    private static func number(_ value: Value) throws(Naive.Failure) -> Double {
        guard let number = value.number else { throw Naive.Failure(code: "expr_type") }
        return number
    }

    /// Expressions of one value that make another.
    static let maps = [
        Self("value + 1") { values throws(Naive.Failure) in .number(try number(values[0]) + 1) },
        Self("3 - value") { values throws(Naive.Failure) in .number(3 - (try number(values[0]))) },
        // Zero fails: the division is one of integers.
        Self("type(value) == double ? double(6 / int(value)) : value") { values throws(Naive.Failure) in
            guard let number = values[0].number else { return values[0] }
            guard abs(number) < 1e15 else { throw Naive.Failure(code: "expr_overflow") }
            guard Int64(number) != 0 else { throw Naive.Failure(code: "expr_divide") }
            return .number(Double(6 / Int64(number)))
        },
        Self("{'k': value}") { values throws(Naive.Failure) in
            .object([.init(name: "k", value: values[0])])
        },
        Self("value > 1 ? 'a' : 'b'") { values throws(Naive.Failure) in
            .text(try number(values[0]) > 1 ? "a" : "b")
        },
    ]

    /// Expressions that give a truth value, or fail.
    static let conditions = [
        Self("value > 1") { values throws(Naive.Failure) in .bool(try number(values[0]) > 1) },
        Self("value != 2") { values throws(Naive.Failure) in .bool(values[0] != .number(2)) },
        Self("value == 1 || value == 3") { values throws(Naive.Failure) in
            .bool(values[0] == .number(1) || values[0] == .number(3))
        },
        // Anything but a truth value fails (docs/definitions.md, Empty and failed).
        Self("value") { values throws(Naive.Failure) in values[0] },
    ]

    /// Expressions that give each value a key, null included.
    static let keys = [
        Self("value == 1 ? null : value == 2 ? 'two' : 'more'") { values throws(Naive.Failure) in
            switch values[0] {
            case .number(1): .null
            case .number(2): .text("two")
            default: .text("more")
            }
        },
        Self("value > 2 ? 'more' : 'two'") { values throws(Naive.Failure) in
            .text(try number(values[0]) > 2 ? "more" : "two")
        },
        // An object without the member has no key (G-90); a value other than an object has no
        // members, which is a failure.
        Self("value.k") { values throws(Naive.Failure) in
            guard case .object = values[0] else { throw Naive.Failure(code: "expr_type") }
            guard let key = values[0]["k"] else { throw Naive.Failure(code: "expr_no_key") }
            return key
        },
    ]

    /// Expressions of the running value, the new one, and their number.
    static let scans: [(start: Value, with: Self)] = [
        (
            .number(0),
            Self("acc + value") { values throws(Naive.Failure) in
                .number(try number(values[0]) + number(values[1]))
            }
        ),
        (
            .list([]),
            Self("size(acc) > 3 ? [value] : acc + [value, index]") { values throws(Naive.Failure) in
                guard case .list(let acc) = values[0] else { throw Naive.Failure(code: "expr_type") }
                return .list(acc.count > 3 ? [values[1]] : acc + [values[1], values[2]])
            }
        ),
    ]

    /// Of two named inputs.
    static let difference = Self("a - b") { values throws(Naive.Failure) in
        .number(try number(values[0]) - number(values[1]))
    }

    /// Of a list.
    static let lists = [
        Self("value[0]") { values throws(Naive.Failure) in
            guard case .list(let list) = values[0] else { throw Naive.Failure(code: "expr_type") }
            return list[0]
        },
        Self("sum(value)") { values throws(Naive.Failure) in
            guard case .list(let list) = values[0] else { throw Naive.Failure(code: "expr_type") }
            var sum = 0.0
            for value in list { sum += try number(value) }
            return .number(sum)
        },
    ]
}
