internal import CEL
internal import ReactiveGraph
internal import Values

// The host represents a switch as values of the form `{"key":…,"value":…}` (G-90, G-94). So keys
// without a case need no storage (G-143), nothing stale can be replayed (G-92), and clients can
// read the key.

/// `switch: { from: note, by: "value.who", value: "value.text" }`.
struct SwitchArgument: SourceArgument {
    /// The node whose values are distributed.
    let from: String
    /// The key of a value; a value has none if this is null or uses a member that the value lacks.
    let by: Expression
    /// An expression for the part of a value that is passed on; without it, the whole value.
    let value: Expression?

    static let schema = Schema.mapping(fields)
    private static let fields: [Schema.Field] = [
        .required("from", .node, "The node whose values are distributed."),
        .required("by", .expression, "The key of a value."),
        .optional("value", .expression, "The part of a value to pass on; without it, the whole value."),
    ]

    var inputs: [String] { [from] }
    var canonical: String { "\(from);\(by.key)\(value.map { ";\($0.key)" } ?? "")" }

    static func read(_ reading: SourceReading) -> SwitchArgument? {
        let fields = reading.fields(Self.fields)
        let from = reading.node("from", in: fields)
        let type = reading.reader.types[node: from]
        let by = reading.expression("by", in: fields, of: type)
        let value = reading.expression("value", in: fields, of: type)
        guard let from, let by else { return nil }
        return SwitchArgument(from: from, by: by, value: value)
    }
}

/// `case: { of: speech, key: alice }`.
struct CaseArgument: SourceArgument {
    /// The switch, or any node whose values have a `key` and a `value`.
    let of: String
    /// The key, compared by structure; null means values without a key.
    let key: Datum
    /// Whether failures of the switch are shown; an `if` shows them on its `else` side only.
    var showsFailures = true

    static let schema = Schema.mapping(fields)
    private static let fields: [Schema.Field] = [
        .required("of", .node, "The switch."), .required("key", .any, "The key: any JSON value."),
    ]

    var inputs: [String] { [of] }
    var caseOf: String? { of }
    var canonical: String { "\(of);\(key.text)\(showsFailures ? "" : "!")" }
    var branching: Branching? {
        .sorted { [key, showsFailures] pair in
            pair.isFail ? showsFailures : CaseKey.of(pair).map { $0 == CaseKey(key) } ?? true
        }
    }

    static func read(_ reading: SourceReading) -> CaseArgument? {
        let fields = reading.fields(Self.fields)
        let of = reading.node("of", in: fields)
        let key = fields["key"].flatMap(reading.reader.datum)
        guard let of, let key else { return nil }
        return CaseArgument(of: of, key: key)
    }

    static func make(_ argument: CaseArgument, _ site: StageMaker, _ inputs: [Node<Datum>]) -> Node<Datum> {
        site.chosen(argument.key, argument.showsFailures, from: inputs[0])
    }
}

/// `default: { of: speech }`.
struct DefaultArgument: SourceArgument {
    /// The switch, or any node whose values have a `key` and a `value`.
    let of: String

    static let schema = Schema.mapping(fields)
    private static let fields: [Schema.Field] = [.required("of", .node, "The switch.")]

    var inputs: [String] { [of] }
    var caseOf: String? { of }
    var canonical: String { of }
    var branching: Branching? { CaseArgument(of: of, key: .null).branching }

    static func read(_ reading: SourceReading) -> DefaultArgument? {
        reading.node("of", in: reading.fields(fields)).map { DefaultArgument(of: $0) }
    }
}

/// `otherwise: { of: speech, excluding: [alice, bob] }`.
struct OtherwiseArgument: SourceArgument {
    /// The switch, or any node whose values have a `key` and a `value`.
    let of: String
    /// The keys whose values are left out, compared by structure; null means values without a key.
    package let excluding: [Datum]

    static let schema = Schema.mapping(fields)
    private static let fields: [Schema.Field] = [
        .required("of", .node, "The switch."),
        .required(
            "excluding",
            .list(of: .any, 1, Source.mostInputs),
            "The keys to leave out: any JSON values; null for values without a key."
        ),
    ]

    var inputs: [String] { [of] }
    var caseOf: String? { of }
    var canonical: String { "\(of);\(excluding.map(\.text).joined(separator: ","))" }
    var branching: Branching? {
        let excluded = Set(excluding.map { CaseKey($0) })
        return .sorted { pair in pair.isFail || CaseKey.of(pair).map { !excluded.contains($0) } ?? true }
    }

    static func read(_ reading: SourceReading) -> OtherwiseArgument? {
        let fields = reading.fields(Self.fields)
        let of = reading.node("of", in: fields)
        guard let list = fields["excluding"] else { return nil }
        guard let keys = list.elements, (1...Source.mostInputs).contains(keys.count) else {
            reading.reader.add(
                "'excluding' must be a list of 1 to \(Source.mostInputs) keys",
                at: list.position
            )
            return nil
        }
        let excluding = keys.compactMap(reading.reader.datum)
        return of.map { OtherwiseArgument(of: $0, excluding: excluding) }
    }
}

/// `if: { from: outdoor_c, when: "value < 0", then: frost, else: mild }`.
struct IfArgument: SourceArgument {
    let from: String
    let when: Expression
    let sides: [Source.Side]

    static let schema = Schema.mapping(fields).and(.anyOf([.requires(["then"]), .requires(["else"])]))
    private static let fields: [Schema.Field] = [
        .required("from", .node, "The node whose values are tested."),
        .required("when", .expression, "The condition."),
        .optional("then", .node, "The name of a new node: the values for which the condition holds."),
        .optional("else", .node, "The name of a new node: all others, and failures."),
    ]

    var inputs: [String] { [from] }
    var canonical: String { "\(from);\(when.key)" }

    static func read(_ reading: SourceReading) -> IfArgument? {
        let before = reading.reader.problems.count
        let fields = reading.fields(Self.fields)
        let from = reading.node("from", in: fields)
        let when = reading.expression("when", in: fields, of: reading.reader.types[node: from])
        // A failure of the condition or of its input goes to `else`.
        let sides = [("then", true), ("else", false)].compactMap { word, isThen in
            reading.side(word, in: fields) { node in
                let argument = CaseArgument(of: node, key: isThen ? .true : .false, showsFailures: !isThen)
                return Source(.case, argument, make: CaseArgument.make)
            }
        }
        if fields["then"] == nil, fields["else"] == nil, reading.reader.problems.count == before {
            reading.reader.add(
                "if needs 'then' or 'else', the names of the nodes it makes",
                at: reading.argument.position
            )
        }
        guard let from, let when else { return nil }
        return IfArgument(from: from, when: when, sides: sides)
    }
}

extension StageMaker {
    /// Each value with the key that `by` gives, as an object.
    func keyed(_ keyed: SwitchArgument) -> StageOperator {
        let by = evaluation(keyed.by)
        let value = keyed.value.map { evaluation($0) }
        let map = Map<Datum, Datum> { datum in
            var key = by.datum(datum.tree)
            if let failure = key.fail {
                // The value lacks the member: it has no key.
                guard failure.code == ExpressionErrorCode.noKey.rawValue else { return key }
                key = .null
            }
            guard let value else { return JSONText.pair(key, datum) }
            let mapped = value.datum(datum.tree)
            return mapped.isFail ? mapped : JSONText.pair(key, mapped)
        }
        return stage(map, .bypass, .none)
    }

    /// Each value with the result of the condition, as an object.
    func judged(_ condition: IfArgument) -> StageOperator {
        let when = evaluation(condition.when)
        let map = Map<Datum, Datum> { datum in
            do throws(EvaluationError) {
                guard case .bool(let holds) = try when.result(datum.tree) else {
                    return when.fail("if needs true or false")
                }
                return JSONText.pair(holds ? .true : .false, datum)
            } catch {
                return when.fail(error)
            }
        }
        return stage(map, .bypass, .none)
    }

    /// The values with one key; pairs with other keys change nothing (G-91).
    func chosen(_ key: Datum, _ showsFailures: Bool, from source: Node<Datum>) -> Node<Datum> {
        let chosen = caseTables.place(for: key, of: source)
        let notAPair = notAPair
        let meter = meter
        let choose = CompactMap<Datum, Datum> { pair in
            if pair.isFail { return showsFailures ? pair : nil }
            switch chosen.table.route(pair, meter) {
            case .slot(chosen.slot, let value): return value
            case .slot, .other: return nil
            case .none: return notAPair
            }
        }
        return stage(choose, .count).derive(source)
    }

    /// The values of all keys except some (G-93).
    func remaining(_ rest: OtherwiseArgument) -> StageOperator {
        let excluded = Set(rest.excluding.map { CaseKey($0) })
        let notAPair = notAPair
        let choose = CompactMap<Datum, Datum> { pair in
            if pair.isFail { return pair }
            let value = JSONText.readPair(pair) { key, value in
                excluded.contains(CaseKey(key)) ? Datum?.none : Datum(JSONReader(validated: value))
            }
            return value ?? .some(notAPair)
        }
        return stage(choose, .count, .text)
    }

    private var notAPair: Datum {
        .fail("not_a_key", at: place, "a value with key and value is needed")
    }
}
