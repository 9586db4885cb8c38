internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

/// `reduce: { top: 10, by: "value" }` of an `all`.
struct AllTop {
    /// The most nodes of a list: each emission writes all of it.
    static let most = 1_000
    static let form = "{ top: 10, by: \"value\" }"

    let count: Int
    /// An expression over each `value`; the greatest numbers come first.
    let by: Expression

    static let schema = Schema.mapping(fields)
    private static let fields: [Schema.Field] = [
        .required("top", .count(1, most), "How many nodes."),
        .required(
            "by",
            .expression,
            "An expression over each `value`: the nodes with its greatest numbers; null leaves one out."
        ),
    ]

    var canonical: String { "top \(count);\(by.key)" }

    static func read(_ document: Document, _ reading: SourceReading) -> AllTop? {
        let reader = reading.reader
        let fields = reader.fields(document, of: "reduce", fields)
        let count = fields["top"].flatMap { reader.count($0, of: "top", in: 1...most) }
        reader.types.names = [:]
        // Not the time: the order depends on the present values alone.
        let by = fields["by"].flatMap { reader.expression($0, of: "by", variables: ["value"]) }
        guard let count, let by else { return nil }
        return AllTop(count: count, by: by)
    }
}

/// The nodes whose values an expression ranks highest, as a list of `{"node","value"}`.
///
/// A change is ranked when the result is asked for: once in a turn, and in a client's pipeline
/// after the commit.
struct TopListing: Reduction {
    /// The rank of a member: the greater number first, and of equal ones the name.
    private struct Rank: Comparable {
        let number: Number
        let name: String

        static func < (a: Rank, b: Rank) -> Bool {
            a.number == b.number ? a.name < b.name : b.number < a.number
        }
    }

    private let count: Int
    private let by: Evaluation
    /// The members of the list, the last one first.
    private var top = PlaceHeap<Rank>(isReversed: true)
    /// All others, the best one first.
    private var rest = PlaceHeap<Rank>()
    private var bad: BadMembers
    /// The places whose members have changed since they were ranked.
    private var changed: [Int] = []
    private var isChanged: [Bool] = []
    /// The list, until a member of it changes.
    private var latest: Datum?
    /// See ``AllListing``.
    private let meter: (any Meter)?
    private let sign = Datum.null

    init(_ top: AllTop, by: Evaluation, at place: String, for meter: (any Meter)?) {
        (count, self.by, self.meter) = (top.count, by, meter)
        bad = BadMembers(at: place, "'by' must be a number or null")
    }

    mutating func insert(_ value: Datum, at place: Int) { note(place) }

    mutating func replace(_ old: Datum, with new: Datum, at place: Int) { note(place) }

    mutating func remove(_ old: Datum, at place: Int) { note(place) }

    private mutating func note(_ place: Int) {
        meter?.spend(StageCost.gatheringUnits)
        while isChanged.count <= place { isChanged.append(false) }
        guard !isChanged[place] else { return }
        isChanged[place] = true
        changed.append(place)
    }

    mutating func result(of members: GatheredMembers<Datum>) -> Emission<Datum> {
        .value(meter != nil ? sign : listing(members))
    }

    /// The text, or the failure of a member.
    mutating func listing(_ members: GatheredMembers<Datum>) -> Datum {
        for place in changed {
            isChanged[place] = false
            forget(place)
            rank(place, members)
        }
        changed = []
        if let failure = bad.failure(members, key) { return failure }
        if let latest { return latest }
        let made = text(members)
        latest = made
        return made
    }

    /// What ranks a value.
    private func key(_ value: Datum) -> Datum { value.isFail ? value : by.datum(value.tree) }

    private mutating func forget(_ place: Int) {
        bad.remove(place)
        if rest.has(place) { rest.remove(at: place) }
        guard top.has(place) else { return }
        latest = nil
        top.remove(at: place)
        if let next = rest.first {
            rest.remove(at: next.place)
            top.insert(next.element, at: next.place)
        }
    }

    private mutating func rank(_ place: Int, _ members: GatheredMembers<Datum>) {
        guard let value = members.value(at: place) else { return }
        let key = key(value)
        guard let number = key.number else {
            if key.kind != .null || key.isFail { bad.insert(place) }
            return
        }
        let rank = Rank(number: number, name: members.key(at: place))
        if top.count == count, let last = top.first {
            guard rank < last.element else { return rest.insert(rank, at: place) }
            top.remove(at: last.place)
            rest.insert(last.element, at: last.place)
        }
        latest = nil
        top.insert(rank, at: place)
    }

    private func text(_ members: GatheredMembers<Datum>) -> Datum {
        var buffer = ByteBuffer()
        buffer.append("[")
        var isFirst = true
        for (rank, place) in top.all.sorted(by: { $0.element < $1.element }) {
            guard let value = members.value(at: place) else { continue }
            buffer.append(isFirst ? "{\"node\":" : ",{\"node\":")
            isFirst = false
            buffer.append(json: rank.name)
            buffer.append(",\"value\":")
            value.withBytes { buffer.append($0) }
            buffer.append("}")
        }
        buffer.append("]")
        return Datum(JSONReader(validated: buffer.bytes))
    }
}
