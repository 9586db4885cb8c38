internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

/// `combine: { t: indoor_c, … }` or `combine: [indoor_c, …]`, with its sibling key `map`.
struct CombineArgument: SourceArgument {
    /// The names of the inputs in the expression; nil for the list form, where the expression sees
    /// the list as `value`.
    let names: [String]?
    let inputs: [String]
    /// The places of the inputs whose changes are no cause to emit.
    let passive: Set<Int>
    /// An expression over the inputs; without it, an object with the names, or a list.
    let map: Expression?

    private static let inputFields: [Schema.Field] = [
        .required("of", .node, "The node."),
        .optional(
            "passive",
            .boolean,
            "Whether it is read when another input changes, and is no cause itself."
        ),
    ]
    private static let input = Schema.part("input", .either(.node, .mapping(inputFields)))
    static let schema = Schema.either(
        .map(of: input).with("propertyNames", .schema(.identifier)).with("minProperties", 1)
            .with("maxProperties", .number(Source.mostInputs)),
        .list(of: input, 1, Source.mostInputs)
    )
    static let beside: [Schema.Field] = [
        .optional(
            "map",
            .expression,
            "An expression over the inputs: by their names, or as the list `value`."
        )
    ]

    var canonical: String {
        // No name begins with '~'.
        let inputs = inputs.enumerated().map { passive.contains($0) ? "~\($1)" : $1 }
        let parts = names.map { zip($0, inputs).map { "\($0)=\($1)" } } ?? inputs
        return parts.joined(separator: ",") + (map.map { ";\($0.key)" } ?? "")
    }

    var ownStateClass: OperatorRow.StateClass? { passive.isEmpty ? nil : .history }

    func type(in types: KnownTypes) -> StaticType {
        if let map { return map.type }
        return names == nil ? .list(types.joined(inputs)) : .object
    }

    static func read(_ reading: SourceReading) -> CombineArgument? {
        var names: [String]?
        var read: [Input]?
        if reading.argument.entries == nil {
            read = reading.elements { input($0, "an element of combine", reading) }
        } else if let named = named(reading) {
            (names, read) = (named.map(\.name), named.map(\.input))
        }
        // If the inputs cannot be read, checking the expression would only report unknown names.
        guard let read else { return nil }
        let inputs = read.map(\.node)
        let passive = Set(read.indices.filter { read[$0].isPassive })
        if passive.count == read.count {
            reading.reader.add(
                "all inputs of combine are passive: nothing would be a cause to emit",
                at: reading.argument.position,
                hint: "leave 'passive' out where changes are to be passed on"
            )
        }
        let variables = names.map { $0.contains("time") ? $0 : $0 + ["time"] } ?? Expression.valueNames
        let types = reading.reader.types
        if let names {
            reading.reader.types.names = Dictionary(
                zip(names, inputs).map { ($0, types[node: $1]) },
                uniquingKeysWith: { first, _ in first }
            )
        } else {
            reading.reader.types.value = .list(types.joined(inputs))
        }
        let map = reading.beside["map"].flatMap {
            reading.reader.expression($0, of: "map", variables: variables)
        }
        return CombineArgument(names: names, inputs: inputs, passive: passive, map: map)
    }

    private typealias Input = (node: String, isPassive: Bool)

    /// `tariff`, or `{ of: tariff, passive: true }`.
    private static func input(_ document: Document, _ what: String, _ reading: SourceReading) -> Input? {
        guard document.entries != nil else {
            return reading.node(document, of: what).map { ($0, isPassive: false) }
        }
        let fields = reading.reader.fields(document, of: what, inputFields)
        var isPassive: Bool? = false
        if let stated = fields["passive"] { isPassive = reading.reader.flag(stated, of: "passive") }
        let node = reading.node("of", in: fields)
        guard let node, let isPassive else { return nil }
        return (node, isPassive)
    }

    private static func named(_ reading: SourceReading) -> [(name: String, input: Input)]? {
        let reader = reading.reader
        let members = reader.members(reading.argument, of: "combine") ?? []
        guard reading.hasRoom(members.count) else { return nil }
        let named = members.compactMap { name, entry -> (name: String, input: Input)? in
            guard Identifier.isValid(name) else {
                return reader.refuse(
                    "'\(name)' cannot be used as a name in an expression",
                    at: entry.key.position,
                    hint: Identifier.isReserved(name)
                        ? "'\(name)' is a reserved word; choose another name" : "letters, digits and '_' only"
                )
            }
            return input(entry.value, "'\(name)'", reading).map { (name, $0) }
        }
        return named.count == members.count ? named : nil
    }
}

/// `zip: [indoor_c, humidity]`, with its sibling keys `map` and `buffer`.
struct ZipArgument: SourceArgument {
    let inputs: [String]
    /// An expression over a row, seen as the list `value`; without it, the list.
    let map: Expression?
    /// How many values of one input may wait for the other inputs; nil: the server's limit.
    let buffer: Int?

    static let schema = Schema.nodes
    static let beside: [Schema.Field] = [
        .optional("map", .expression, "An expression over a row, the list `value`."),
        .optional(
            "buffer",
            .count(1),
            "How many values of one node wait for the others; at most limits.zipBuffer."
        ),
    ]

    var canonical: String {
        inputs.joined(separator: ",") + (map.map { ";\($0.key)" } ?? "") + (buffer.map { ";\($0)" } ?? "")
    }

    static func read(_ reading: SourceReading) -> ZipArgument? {
        let reader = reading.reader
        let inputs = reading.nodes()
        let type = StaticType.list(reader.types.joined(inputs ?? []))
        let map = reading.expression("map", in: reading.beside, of: type)
        let buffer = reading.beside["buffer"].flatMap {
            reader.count($0, of: "buffer", in: 1...reader.options.zipBuffer)
        }
        return inputs.map { ZipArgument(inputs: $0, map: map, buffer: buffer) }
    }
}

extension StageMaker {
    /// Combines the present values of all inputs, once none is empty.
    ///
    /// If an input has failed, the result is its failure.
    func combined(_ combine: CombineArgument, _ inputs: [Node<Datum>]) -> Node<Datum> {
        let compute = joined(combine.map, names: combine.names)
        guard let meter else { return Node.combineEach(inputs, passive: combine.passive, compute) }
        let rows = Node<[Datum]>.combine(inputs, passive: combine.passive)
        hide(rows)
        return rows.apply(RowMap(meter: meter, compute))
    }

    /// Combines the first values of all inputs, then the second ones, and so on.
    ///
    /// Each value takes a place, including null and failures; emptiness takes none. A full queue
    /// drops its oldest value, and the node fails until the next row, because from then on the rows
    /// no longer match.
    func zipped(_ zip: ZipArgument, _ inputs: [Node<Datum>]) -> Node<Datum> {
        let limit = min(zip.buffer ?? .max, limits.zipBuffer)
        let place = place
        let compute = joined(zip.map, names: nil)
        let buffer = BufferPolicy.dropOldest(limit)
        func overflow() -> Datum {
            .fail("overflow", at: place, "too many values wait for the other inputs")
        }
        guard let meter else {
            let node = Node<Datum>.zipEach(inputs, buffer: buffer, overflow: overflow, compute)
            node.propagatesEmpty = false
            return node
        }
        let waiting = WaitingRows(inputs, meter)
        let control = BufferControl { waiting.added() }
        waiting.control = control
        let rows = Node<[Datum]>.zipEach(inputs, buffer: buffer, control: control, overflow: { [overflow()] })
        { $0 }
        rows.propagatesEmpty = false
        hide(rows)
        return rows.apply(RowMap(meter: meter, waiting: waiting, compute))
    }

    /// The function of several values: the expression, or their list or object.
    private func joined(_ map: Expression?, names: [String]?) -> ([Datum]) -> Datum {
        let meter = meter
        guard let map else {
            return { data in
                if let fail = data.first(where: \.isFail) { return fail }
                if let meter { meter.spend(data.reduce(StageCost.runUnits) { $0 + 4 + $1.textCost }) }
                return JSONText.joined(data, names: names)
            }
        }
        // In the list form the expression has the variables of a single value.
        let evaluation = evaluation(map, taking: names?.count ?? 1)
        return { data in
            if let fail = data.first(where: \.isFail) { return fail }
            let trees = data.map(\.tree)
            return names == nil ? evaluation.datum(.list(ValueList(trees))) : evaluation.datum(trees)
        }
    }
}

/// The `map` of a join in a client's pipeline; the join itself only collects the inputs.
private struct RowMap: Operator {
    let name = "Join"
    let meter: any Meter
    /// In a zip, the values that wait for a row.
    let waiting: WaitingRows?
    let compute: ([Datum]) -> Datum

    init(meter: any Meter, waiting: WaitingRows? = nil, _ compute: @escaping ([Datum]) -> Datum) {
        self.meter = meter
        self.waiting = waiting
        self.compute = compute
    }

    mutating func receive(_ row: [Datum], at site: Site) -> Emission<Datum>? {
        waiting?.trim()
        let result = Emission<Datum>.value(compute(row))
        return meter.admits(result, reading: row) ? result : nil
    }

    mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Datum>? {
        travels ? .empty : nil
    }
}

/// The values of a client's zip that wait for a row.
///
/// Each costs units, otherwise an input that never finds a partner would be free. Each counts as
/// held bytes with the size of the largest input at the time it arrived.
private final class WaitingRows {
    private let inputs: [Unowned<Node<Datum>>]
    private let meter: any Meter
    private let sizes = HeldSizes()
    /// Counts the waiting values.
    ///
    /// Weak: the zip holds it, and it holds this object.
    weak var control: BufferControl?

    /// `inputs` live as long as the zip.
    init(_ inputs: [Node<Datum>], _ meter: any Meter) {
        self.inputs = inputs.map(Unowned.init)
        self.meter = meter
    }

    /// A value has come.
    func added() {
        meter.spend(StageCost.keepingUnits + inputs.count >> 4)
        sizes.add(inputs.reduce(0) { max($0, $1.object.value?.heldBytes ?? 0) })
        sizes.trim(to: (control?.count ?? 0) + 1)
        meter.keeps(sizes.sum)
    }

    /// A row is complete.
    func trim() {
        sizes.trim(to: control?.count ?? 0)
        meter.keeps(sizes.sum)
    }
}
