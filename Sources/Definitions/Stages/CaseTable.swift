internal import ReactiveGraph
internal import Support
internal import Values

/// The keys of the cases of one switch.
///
/// A value is parsed and its key looked up once, however many cases there are (G-91). Each case
/// then compares a number.
///
/// The cases hold their table; the graph's list refers to it weakly. Invariant: `slots` has a slot
/// exactly while a case follows its key.
final class CaseTable {
    /// The result of looking up a pair.
    package enum Route {
        /// The key of this slot; its value.
        case slot(Int, Datum)
        /// A key that no case follows.
        case other
        /// No value with `key` and `value`.
        case none
    }

    private var slots: [CaseKey: (slot: Int, users: Int)] = [:]
    private var lastSlot = 0
    /// The pair that was looked up last, and its route.
    private var pair: Datum?
    private var route = Route.none
    private let source: UInt64
    private weak var list: CaseTables?

    fileprivate init(of source: UInt64, in list: CaseTables) {
        self.source = source
        self.list = list
    }

    deinit {
        list?.forget(source)
    }

    fileprivate func follow(_ key: CaseKey) -> Int {
        // The last lookup did not know this key.
        forget()
        if let known = slots[key] {
            slots[key] = (known.slot, known.users + 1)
            return known.slot
        }
        lastSlot += 1
        slots[key] = (lastSlot, 1)
        return lastSlot
    }

    fileprivate func leave(_ key: CaseKey) {
        guard let known = slots[key] else { return }
        slots[key] = known.users > 1 ? (known.slot, known.users - 1) : nil
    }

    /// The route of a pair.
    ///
    /// Only the first case that asks parses the pair, and is charged for it.
    @inline(__always)
    func route(_ pair: Datum, _ meter: (any Meter)?) -> Route {
        if pair !== self.pair {
            meter?.spend(StageCost.runUnits + pair.textCost)
            self.pair = pair
            route = find(pair)
        }
        return route
    }

    private func find(_ pair: Datum) -> Route {
        let route = JSONText.readPair(pair) { key, value -> Route in
            guard let known = slots[CaseKey(key)] else { return .other }
            return .slot(known.slot, Datum(JSONReader(validated: value)))
        }
        return route ?? .none
    }

    /// Releases the pair.
    func forget() {
        pair = nil
        route = .none
    }
}

/// One case's place in the table of its switch.
final class CasePlace {
    let table: CaseTable
    let slot: Int
    private let key: CaseKey

    fileprivate init(_ table: CaseTable, _ key: CaseKey) {
        self.table = table
        self.key = key
        slot = table.follow(key)
    }

    deinit {
        table.leave(key)
    }
}

/// A key by its meaning: JSON texts with equal values are equal keys.
struct CaseKey: Hashable {
    private let bytes: [UInt8]

    init(_ text: BorrowedBytes) {
        bytes = Array(text)
    }

    init(_ key: Datum) {
        self = key.withBytes { CaseKey($0) }
    }

    static func of(_ pair: Datum) -> CaseKey? {
        JSONText.readPair(pair) { key, _ in CaseKey(key) }
    }

    static func == (a: CaseKey, b: CaseKey) -> Bool {
        a.bytes.withBorrowedBytes { x in b.bytes.withBorrowedBytes { y in JSONEquality.areEqual(x, y) } }
    }

    func hash(into hasher: inout Hasher) {
        bytes.withBorrowedBytes { bytes in
            let reader = JSONReader(validated: bytes)
            hasher.combine(reader.kind)
            switch reader.kind {
            case .null: break
            case .bool: hasher.combine(reader.bool)
            // Equal decimals have the same nearest double; 0 and -0 are equal as doubles, too.
            case .number: hasher.combine(reader.double)
            case .string: reader.text?.withUTF8 { hasher.combine($0) }
            // Rarely used as keys, so all arrays of one length share a bucket.
            case .array: hasher.combine(reader.elements.reduce(0) { count, _ in count + 1 })
            case .object: hasher.combine(reader.members.reduce(0) { count, _ in count + 1 })
            }
        }
    }
}

/// The case tables of a graph.
package final class CaseTables {
    private struct Reference {
        weak var table: CaseTable?
    }

    /// The tables, by the number of the node whose values they distribute.
    private var tables: [UInt64: Reference] = [:]

    package init() {}

    var count: Int { tables.count }

    /// Adds a case to the table of the switch `source`.
    func place(for key: Datum, of source: Node<Datum>) -> CasePlace {
        let table = tables[source.id]?.table ?? CaseTable(of: source.id, in: self)
        tables[source.id] = Reference(table: table)
        return CasePlace(table, CaseKey(key))
    }

    fileprivate func forget(_ source: UInt64) { tables[source] = nil }
}
