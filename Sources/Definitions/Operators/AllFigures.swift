internal import ReactiveGraph
internal import Support
internal import Values

/// A reduction of the library over the values of a graph.
///
/// If a member has failed, or its value has the wrong type, the result is a failure that names the
/// member.
struct AllFigure<Base: Reduction>: Reduction {
    private var base: Base
    private var bad: BadMembers
    /// Converts a value for the reduction; nil if the value has the wrong type.
    private let give: (Datum) -> Base.Value?
    private let take: (Base.Result) -> Datum
    /// Charged for each change of a member.
    private let meter: (any Meter)?

    /// Applies `base` to the values that `give` accepts.
    ///
    /// `needs` names the kind of value in error messages.
    init(
        _ all: AllArgument,
        at place: String,
        for meter: (any Meter)?,
        _ base: Base,
        needs: String,
        give: @escaping (Datum) -> Base.Value?,
        take: @escaping (Base.Result) -> Datum
    ) {
        self.base = base
        self.give = give
        self.take = take
        self.meter = meter
        bad = BadMembers(at: place, "\(all.reduce.name) needs \(needs)")
    }

    private func given(_ datum: Datum) -> Base.Value? { datum.isFail ? nil : give(datum) }

    mutating func insert(_ value: Datum, at place: Int) {
        meter?.spend(StageCost.gatheringUnits)
        if let given = given(value) { base.insert(given, at: place) } else { bad.insert(place) }
    }

    mutating func replace(_ old: Datum, with new: Datum, at place: Int) {
        meter?.spend(StageCost.gatheringUnits)
        switch (given(old), given(new)) {
        case (let old?, let new?): base.replace(old, with: new, at: place)
        case (let old?, nil):
            base.remove(old, at: place)
            bad.insert(place)
        case (nil, let new?):
            bad.remove(place)
            base.insert(new, at: place)
        case (nil, nil): break
        }
    }

    mutating func remove(_ old: Datum, at place: Int) {
        meter?.spend(StageCost.gatheringUnits)
        if let old = given(old) { base.remove(old, at: place) } else { bad.remove(place) }
    }

    mutating func result(of members: GatheredMembers<Datum>) -> Emission<Datum> {
        if let failure = bad.failure(members) { return .value(failure) }
        switch base.result(of: GatheredMembers()) {
        case .empty: return .empty
        case .value(let result): return .value(take(result))
        }
    }
}

/// All values as a list, ordered by the names of their nodes, or as an object.
struct AllListing: Reduction {
    private var order = GatherOrder()
    private var bad: BadMembers
    /// Of an object, what its keys are taken from.
    private let glob: String?
    /// If there is one, it is charged for each change of a member, only ``listing(_:)`` makes the
    /// text, and the result merely signals a change.
    private let meter: (any Meter)?
    private let sign = Datum.null

    /// An object whose keys are what the glob's only `*` stands for, or the names; without a glob,
    /// a list.
    init(_ glob: String?, at place: String, for meter: (any Meter)?) {
        self.glob = glob
        self.meter = meter
        bad = BadMembers(at: place, "")
    }

    mutating func insert(_ value: Datum, at place: Int) {
        meter?.spend(StageCost.gatheringUnits)
        if value.isFail { bad.insert(place) }
        order.insert(place)
    }

    mutating func replace(_ old: Datum, with new: Datum, at place: Int) {
        meter?.spend(StageCost.gatheringUnits)
        guard old.isFail != new.isFail else { return }
        if new.isFail { bad.insert(place) } else { bad.remove(place) }
    }

    mutating func remove(_ old: Datum, at place: Int) {
        meter?.spend(StageCost.gatheringUnits)
        if old.isFail { bad.remove(place) }
        order.remove(place)
    }

    mutating func result(of members: GatheredMembers<Datum>) -> Emission<Datum> {
        .value(meter != nil ? sign : listing(members))
    }

    /// The text, or the failure of a member.
    mutating func listing(_ members: GatheredMembers<Datum>) -> Datum {
        if let failure = bad.failure(members) { return failure }
        var buffer = ByteBuffer()
        buffer.append(UInt8(ascii: glob != nil ? "{" : "["))
        var isFirst = true
        for place in order.places({ members.key(at: $0) }) {
            guard let value = members.value(at: place) else { continue }
            if !isFirst { buffer.append(",") }
            isFirst = false
            if let glob {
                buffer.append(json: Self.key(of: members.key(at: place), matching: glob))
                buffer.append(":")
            }
            value.withBytes { buffer.append($0) }
        }
        buffer.append(UInt8(ascii: glob != nil ? "}" : "]"))
        return Datum(JSONReader(validated: buffer.bytes))
    }

    /// The key of a node in the object: the text that the only `*` of the glob matched, or the
    /// whole name.
    static func key(of name: String, matching glob: String) -> String {
        let parts = glob.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard parts.count == 2, !glob.utf8.contains(UInt8(ascii: "?")) else { return name }
        let key = name.utf8.dropFirst(parts[0].count).dropLast(parts[1].count)
        return String(decoding: key, as: UTF8.self)
    }
}

/// The members that cannot be reduced: those that have failed, and those of the wrong type.
struct BadMembers {
    /// Ordered by name, so that every server reports the same one first.
    private var names = PlaceHeap<String>()
    /// Members whose names are not known yet.
    private var new: [Int] = []
    private var isBad: [Bool] = []
    private let place: String
    private let demand: String

    init(at place: String, _ demand: String) {
        self.place = place
        self.demand = demand
    }

    mutating func insert(_ place: Int) {
        while isBad.count <= place { isBad.append(false) }
        isBad[place] = true
        new.append(place)
    }

    mutating func remove(_ place: Int) {
        guard place < isBad.count else { return }
        isBad[place] = false
        if names.has(place) { names.remove(at: place) }
    }

    /// The failure of the first one; `judge` gives what is wrong with its value.
    mutating func failure(
        _ members: GatheredMembers<Datum>,
        _ judge: (Datum) -> Datum = { $0 }
    ) -> Datum? {
        for place in new where isBad[place] && !names.has(place) {
            names.insert(members.key(at: place), at: place)
        }
        new = []
        guard let (name, place) = names.first, let value = members.value(at: place).map(judge) else {
            return nil
        }
        if let fail = value.fail { return .fail(fail.code, at: fail.at, "\(name): \(fail.message)") }
        return .fail("expr_type", at: self.place, "\(demand); \(name) is \(value.kind.words)")
    }
}

extension JSONKind {
    /// The names, for an error message.
    fileprivate var words: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
