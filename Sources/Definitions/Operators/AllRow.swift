internal import CEL
internal import ReactiveGraph
internal import Support
package import Values

/// `all: "sensor.*.celsius"`, with its sibling keys `reduce` and `map` (F-5).
package struct AllArgument: SourceArgument {
    enum Figure: String, CaseIterable {
        case sum, avg, min, max, count, any, all, list, object
    }

    /// How the values of all nodes are reduced.
    enum Reduce {
        case figure(Figure)
        case top(AllTop)

        /// What it makes of any values.
        var type: StaticType {
            switch self {
            case .figure(.sum), .figure(.avg), .figure(.min), .figure(.max), .figure(.count): .number
            case .figure(.any), .figure(.all): .bool
            case .figure(.object): .object
            case .figure(.list), .top: .list(.dyn)
            }
        }

        /// The word in the definition.
        var name: String {
            switch self {
            case .figure(let figure): figure.rawValue
            case .top: "top"
            }
        }

        var canonical: String {
            switch self {
            case .figure(let figure): figure.rawValue
            case .top(let top): top.canonical
            }
        }

        /// For people.
        static var words: String { "\(Figure.words), or \(AllTop.form)" }
    }

    /// The names that are joined: a glob, or of a family a name with further placeholders.
    let pattern: String
    let reduce: Reduce
    /// An expression over the result (`value`); without it, the result itself.
    package let map: Expression?

    package static let schema = Schema.string(atMost: Name.maximumBytes)
        .with("pattern", "[*?{]")
    package static let beside: [Schema.Field] = [
        .required(
            "reduce",
            .either(.word(Figure.self), AllTop.schema),
            "How to reduce the values of all nodes that match the glob."
        ),
        .optional("map", .expression, "An expression over the result, `value`."),
    ]

    package let inputs: [String] = []
    package var glob: String? { pattern }
    package var canonical: String { "\(pattern);\(reduce.canonical)\(map.map { ";\($0.key)" } ?? "")" }

    package static func read(_ reading: SourceReading) -> AllArgument? {
        let reader = reading.reader
        let glob = reading.glob()
        var reduce: Reduce?
        if let document = reading.beside["reduce"] {
            reduce = Self.reduce(document, reading)
        } else {
            let position = reading.argument.position
            reader.add("all needs 'reduce'", at: position, hint: "one of \(Reduce.words)")
        }
        let map = reading.expression("map", in: reading.beside, of: reduce?.type ?? .dyn)
        guard let glob, let reduce else { return nil }
        return AllArgument(pattern: glob, reduce: reduce, map: map)
    }

    private static func reduce(_ document: Document, _ reading: SourceReading) -> Reduce? {
        if document.entries != nil { return AllTop.read(document, reading).map { .top($0) } }
        guard document.scalar?.text != "top" else {
            let hint = "write 'reduce: \(AllTop.form)'"
            return reading.reader.refuse("'top' needs a number", at: document.position, hint: hint)
        }
        return reading.reader.word(document, of: "reduce").map { .figure($0) }
    }
}

extension StageMaker {
    /// A node that reduces all nodes whose names match a glob, and follows as they appear, change
    /// and go.
    func gathered(_ all: AllArgument) -> Node<Datum> {
        let figure: AllArgument.Figure
        switch all.reduce {
        case .figure(let word): figure = word
        case .top(let top):
            let listing = TopListing(top, by: evaluation(top.by), at: place, for: meter)
            return gather(all, listing, deferred: { $0.reduce { $0.listing($1) } })
        }
        switch figure {
        case .sum: return numbers(all, GatherNumberSum(), give: { $0 }, take: { $0 })
        case .avg: return numbers(all, GatherAverage<Double>(), give: \.double) { Number($0) }
        case .min: return numbers(all, GatherExtreme<Number>.min, give: { $0 }, take: { $0 })
        case .max: return numbers(all, GatherExtreme<Number>.max, give: { $0 }, take: { $0 })
        case .any: return flags(all, GatherAny())
        case .all: return flags(all, GatherAll())
        case .count:
            let count = AllFigure(all, at: place, for: meter, GatherCount<Datum>(), needs: "", give: { $0 }) {
                [self] in
                datum(Number(Double($0)))
            }
            return gather(all, count)
        case .list, .object:
            let glob = figure == .object ? glob ?? all.pattern : nil
            let listing = AllListing(glob, at: place, for: meter)
            return gather(all, listing, deferred: { $0.reduce { $0.listing($1) } })
        }
    }

    private func numbers<Base: Reduction>(
        _ all: AllArgument,
        _ base: Base,
        give: @escaping (Number) -> Base.Value,
        take: @escaping (Base.Result) -> Number?
    ) -> Node<Datum> {
        let figure = AllFigure(all, at: place, for: meter, base, needs: "numbers") { datum in
            datum.number.map(give)
        } take: { [self] in
            datum(take($0))
        }
        return gather(all, figure)
    }

    private func flags<Base: Reduction>(_ all: AllArgument, _ base: Base) -> Node<Datum>
    where Base.Value == Bool, Base.Result == Bool {
        let figure = AllFigure(all, at: place, for: meter, base, needs: "true or false", give: { $0.flag }) {
            $0 ? Datum.true : Datum.false
        }
        return gather(all, figure)
    }

    /// Makes the node and connects its members.
    ///
    /// In a client's pipeline, `map` and the deferred assembly of a list (`deferred`) are a stage
    /// of their own, which runs after the commit.
    private func gather<Figure: Reduction>(
        _ all: AllArgument,
        _ figure: Figure,
        deferred: ((GatheringNode<Figure>) -> Datum)? = nil
    ) -> Node<Datum> where Figure.Value == Datum, Figure.Result == Datum {
        let node = core.gather(figure)
        fill(node)
        let map = all.map.map { map in
            let evaluation = evaluation(map)
            return { (datum: Datum) in datum.isFail ? datum : evaluation.datum(datum.tree) }
        }
        guard let meter else {
            guard let map else { return node }
            note(node, as: "all", label: all.reduce.name)
            return node.apply(Map(map))
        }
        hide(node)
        let later = deferred.map { deferred in { [unowned node] in deferred(node) } }
        return node.apply(GatheredMap(meter: meter, later: later, map: map))
    }
}

/// The `map` of an `all` in a client's pipeline; the node before it only collects.
private struct GatheredMap: Operator {
    let name = "Gather"
    let meter: any Meter
    /// Assembles the result as it is at that time.
    let later: (() -> Datum)?
    let map: ((Datum) -> Datum)?

    mutating func receive(_ value: Datum, at site: Site) -> Emission<Datum>? {
        var result = later?() ?? value
        meter.spend(StageCost.runUnits + (later == nil ? 0 : result.numbersCost))
        var read: [Datum] = []
        if let map {
            read = [result]
            result = map(result)
        }
        return meter.admits(.value(result), reading: read) ? .value(result) : nil
    }

    mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Datum>? {
        travels ? .empty : nil
    }
}
