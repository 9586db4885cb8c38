internal import Values

/// What a node keeps of its earlier values: `history: 200`, or
/// `history: { count: 200, for: 7d, every: 1m }`.
public struct HistoryDefinition: Hashable, Sendable {
    /// The most emissions that are kept as they are.
    package static let mostEmissions = 100_000
    /// The most steps of a history by time: about two years of minutes.
    private static let mostSteps = 1_100_000
    /// The shortest step, in milliseconds.
    private static let shortestStep = 1_000

    /// A history by time.
    public struct Steps: Hashable, Sendable {
        /// The length of a step in milliseconds.
        public let every: UInt64
        /// How long steps are kept, in milliseconds.
        public let keep: UInt64
    }

    /// How many of the newest emissions are kept as they are.
    public let count: Int
    /// Steps of commit time; nil: none are kept.
    public let steps: Steps?

    static let none = HistoryDefinition(count: 0)

    init(count: Int, steps: Steps? = nil) {
        (self.count, self.steps) = (count, steps)
    }

    /// Whether the node keeps anything.
    public var isKept: Bool { count > 0 || steps != nil }

    static let schema = Schema.part("history", .anyOf([.count(0, mostEmissions), .mapping(fields)]))

    private static let fields: [Schema.Field] = [
        .optional("count", .count(0, mostEmissions), "How many earlier values are kept as they are."),
        .optional("for", .duration, "How long steps of time are kept."),
        .optional(
            "every",
            .duration,
            "The length of a step, which has min, mean and max and the last value; 1m without it."
        ),
    ]

    /// Reads both forms; nil after recording what is wrong.
    init?(_ document: Document, from reader: DocumentReader, _ word: String) {
        guard case .mapping = document.content else {
            let hint = "or write \(word): { for: 7d, every: 1m }"
            let count = reader.count(document, of: word, in: 0...Self.mostEmissions, hint: hint)
            guard let count else { return nil }
            self.init(count: count)
            return
        }
        let before = reader.problems.count
        let fields = reader.fields(document, of: word, Self.fields)
        let count = fields["count"].flatMap { reader.count($0, of: "count", in: 0...Self.mostEmissions) }
        let keep = fields["for"].flatMap { reader.span($0, of: "for") }
        let every = fields["every"].flatMap { reader.span($0, of: "every") }
        let step = every ?? Stage.Span(milliseconds: 60_000)
        let place = (fields["every"] ?? fields["for"] ?? document).position
        if every != nil, fields["for"] == nil {
            reader.add(
                "'every' needs 'for': how long its steps are kept",
                at: place,
                hint: "write history: { for: 7d, every: 1m }"
            )
        } else if let keep {
            if step.milliseconds < Self.shortestStep {
                reader.add("'every' must be at least 1s", at: place, hint: "'count' keeps every value")
            } else if keep.milliseconds < step.milliseconds {
                reader.add("'for' must be at least as long as 'every', \(step.text)", at: place)
            } else if keep.milliseconds / step.milliseconds > Self.mostSteps {
                reader.add(
                    "\(keep.text) has more than \(Self.mostSteps) steps of \(step.text)",
                    at: place,
                    hint: "make 'every' longer or 'for' shorter"
                )
            }
        }
        guard reader.problems.count == before else { return nil }
        self.init(count: count ?? 0, steps: keep.map { Steps(every: step.count, keep: $0.count) })
    }
}
