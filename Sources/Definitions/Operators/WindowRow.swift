internal import CEL
internal import ReactiveGraph
internal import Values

/// `window: { last: 60s, of: avg }` or `window: { count: 10, of: avg }`.
struct WindowArgument: StageArgument {
    /// Which values it covers.
    package enum Extent {
        case last(Stage.Span)
        /// The last `n` values.
        case count(Int)
    }

    package enum Figure: String, CaseIterable {
        case avg, sum, min, max, count, first, last, rate, p50, p95, p99, list

        /// The type of the figure over values of this type.
        func type(of input: StaticType) -> StaticType {
            switch self {
            case .avg, .sum, .min, .max, .count, .rate, .p50, .p95, .p99: .number
            case .first, .last: input
            case .list: .list(input)
            }
        }

        fileprivate var words: String {
            switch self {
            case .avg: "average"
            case .sum, .first, .last, .rate, .list: rawValue
            case .min: "smallest"
            case .max: "largest"
            case .count: "number of values"
            case .p50: "median"
            case .p95, .p99: "\(rawValue.dropFirst())th percentile"
            }
        }
    }

    let extent: Extent
    let figure: Figure

    static let schema = Schema.mapping(fields).and(.oneOf([.requires(["last"]), .requires(["count"])]))
    private static let fields: [Schema.Field] = [
        .optional("last", .duration, "The values of this span of time."),
        .optional("count", .count(1, DefinitionOptions().windowValues), "This many values."),
        .required("of", .word(Figure.self), "The figure to compute."),
    ]

    var canonical: String? {
        switch extent {
        case .last(let span): "last \(span.milliseconds);\(figure.rawValue)"
        case .count(let count): "count \(count);\(figure.rawValue)"
        }
    }

    var words: String {
        switch extent {
        case .last(let span): "\(figure.words) over \(span.words)"
        case .count(let count): "\(figure.words) of the last \(count)"
        }
    }

    static func read(_ reading: StageReading) -> WindowArgument? {
        guard let argument = reading.argument else { return nil }
        let reader = reading.reader
        let fields = reader.fields(argument, of: "window", Self.fields)
        let figure: Figure? = fields["of"].flatMap { reader.word($0, of: "of") }
        var extent: Extent?
        switch (fields["last"], fields["count"]) {
        case (let last?, nil):
            extent = reader.span(last, of: "last").map { .last($0) }
        case (nil, let number?):
            let range = 1...reader.options.windowValues
            extent = reader.count(number, of: "count", in: range).map { .count($0) }
        default:
            if argument.entries != nil {
                reader.add("a window needs either last or count", at: argument.position)
            }
        }
        guard let figure, let extent else { return nil }
        return WindowArgument(extent: extent, figure: figure)
    }
}

extension StageMaker {
    func window(_ window: WindowArgument) -> StageOperator {
        switch window.figure {
        case .avg: numbers(window, WindowAverage<Double>(), keep: \.double) { Number($0) }
        case .sum: numbers(window, WindowNumberSum(), keep: \.self) { $0 }
        case .min: numbers(window, WindowFold<Number, Number, Number>.min)
        case .max: numbers(window, WindowFold<Number, Number, Number>.max)
        case .rate: numbers(window, WindowNumberRate(), keep: \.self) { Number($0) }
        case .p50: numbers(window, WindowPercentile<Number>(0.5), cost: percentileCost)
        case .p95: numbers(window, WindowPercentile<Number>(0.95), cost: percentileCost)
        case .p99: numbers(window, WindowPercentile<Number>(0.99), cost: percentileCost)
        case .count:
            values(window, WindowCount(), keep: { _ in () }) { [place] in
                Evaluation.datum(.double(Double($0)), at: place)
            }
        case .first: values(window, WindowFirst<Datum>(), keep: { $0 }) { $0 }
        case .last: values(window, WindowLast<Datum>(), keep: { $0 }) { $0 }
        case .list:
            // The list is written again for each value.
            values(window, WindowList<Datum>(), keep: { $0 }) { [meter] data in
                if let meter { meter.spend(data.reduce(0) { $0 + 4 + $1.textCost }) }
                return JSONText.joined(data, names: nil)
            }
        }
    }

    /// The place of a value is found by binary search.
    ///
    /// Inserting it and removing the oldest each move half of the values.
    private func percentileCost(_ count: Int) -> Int { 10 + count >> 4 }

    /// A figure over numbers; anything else is a failure, and the window stays as it is.
    private func numbers<Figure: WindowFigure>(
        _ window: WindowArgument,
        _ figure: Figure,
        keep: @escaping (Number) -> Figure.Kept,
        cost: @escaping (Int) -> Int = { _ in 1 },
        take: @escaping (Figure.Result) -> Number?
    ) -> StageOperator {
        stage(window, figure, keep: keep, cost, give: number("this window needs numbers")) { [self] in
            datum(take($0))
        }
    }

    private func numbers<Figure: WindowFigure>(
        _ window: WindowArgument,
        _ figure: Figure,
        cost: @escaping (Int) -> Int = { _ in 1 }
    ) -> StageOperator where Figure.Kept == Number, Figure.Result == Number {
        numbers(window, figure, keep: { $0 }, cost: cost, take: { $0 })
    }

    /// A figure over values of any kind.
    private func values<Figure: WindowFigure>(
        _ window: WindowArgument,
        _ figure: Figure,
        keep: @escaping (Datum) -> Figure.Kept,
        cost: @escaping (Int) -> Int = { _ in 1 },
        take: @escaping (Figure.Result) -> Datum
    ) -> StageOperator {
        stage(window, figure, keep: keep, cost, give: { .value($0) }, take: take)
    }

    private func stage<Input, Figure: WindowFigure>(
        _ window: WindowArgument,
        _ figure: Figure,
        keep: @escaping (Input) -> Figure.Kept,
        _ cost: @escaping (Int) -> Int,
        give: @escaping (Datum) -> StageInput<Input>,
        take: @escaping (Figure.Result) -> Datum
    ) -> StageOperator {
        let extent: WindowExtent =
            switch window.extent {
            case .last(let span): .time(span.duration)
            case .count(let count): .count(count)
            }
        let base = Windowed(last: extent, limit: limits.windowValues, figure, keep: keep)
        let policy = StagePolicy<Windowed<Input, Figure>>(.bypass, .run, meter, give: give) {
            .value(take($0))
        }
        if let meter {
            // Numbers take 40 bytes each, with their times.
            let sizes = Figure.Kept.self == Datum.self ? HeldSizes() : nil
            policy.afterwards = { base, value in
                meter.spend(cost(base.count))
                if let value { sizes?.add(value.heldBytes) }
                sizes?.trim(to: base.count)
                meter.keeps(40 * base.count + (sizes?.sum ?? 0))
            }
        }
        return StageOperator(Policied(base: base, policy: policy), on: timers)
    }
}
