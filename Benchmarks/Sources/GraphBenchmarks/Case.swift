import CNodes

/// One thing that is measured: the same work in several contestants.
struct Case {
    /// What is done.
    let name: String
    /// What one operation consists of: nodes of a chain, listeners of a fan-out.
    let unit: String
    /// How many units one operation has.
    let units: Int
    /// The nanoseconds per unit that the first contestant should not exceed on the machine of the
    /// table: told, not checked, because machines differ.
    let target: Double?
    /// How many times as fast as its rival the first contestant must be.
    let atLeast: Double?
    /// Which of the eight published cases this is a form of.
    let family: Family?
    /// The first one is ours.
    let contestants: [Contestant]

    init(
        _ name: String,
        unit: String,
        units: Int,
        target: Double? = nil,
        atLeast: Double? = nil,
        family: Family? = nil,
        _ contestants: [Contestant]
    ) {
        self.name = name
        self.unit = unit
        self.units = units
        self.target = target
        self.atLeast = atLeast
        self.family = family
        self.contestants = contestants
    }

    /// The first contestant of the other library: whom the first contestant is compared with.
    var rival: Int? {
        contestants.firstIndex { $0.library == .openCombine }
    }
}

/// The eight cases that a well-known graph framework publishes: ten objects, set a thousand times.
enum Family: String, CaseIterable {
    case listener, map, filter, flattenMap, combine, zip, merge, sync
}

/// Whose code a contestant runs.
enum Library: String {
    case sluice = "Sluice"
    case openCombine = "OpenCombine"
    case c = "C"
}

/// One way to do the work of a case.
struct Contestant {
    let library: Library
    /// What is particular about this way; may be empty.
    let detail: String
    /// Sets the work up, and gives a function that does it a number of times and says how much was
    /// delivered.
    let prepare: () -> (Int) -> Int
    /// How much one operation must deliver.
    let deliveries: Int
    /// The most allocations one operation may make, where that is promised.
    let allocations: Double?

    init(
        _ library: Library,
        _ detail: String = "",
        deliveries: Int,
        allocations: Double? = nil,
        prepare: @escaping () -> (Int) -> Int
    ) {
        self.library = library
        self.detail = detail
        self.deliveries = deliveries
        self.allocations = allocations
        self.prepare = prepare
    }

    var name: String { detail.isEmpty ? library.rawValue : "\(library.rawValue), \(detail)" }
}

extension Contestant {
    /// Sluice's way: `make` builds the graph and gives a function that does one operation per
    /// value.
    static func sluice(
        _ detail: String = "",
        deliveries: Int,
        allocations: Double? = 0,
        _ make: @escaping (Sink) -> (Range<Int>) -> Void
    ) -> Contestant {
        Contestant(.sluice, detail, deliveries: deliveries, allocations: allocations) { counting(make) }
    }

    /// OpenCombine's way.
    static func openCombine(
        _ detail: String = "",
        deliveries: Int,
        _ make: @escaping (Sink) -> (Range<Int>) -> Void
    ) -> Contestant {
        Contestant(.openCombine, detail, deliveries: deliveries) { counting(make) }
    }

    /// The same written in C by hand.
    static func c(_ detail: String, deliveries: Int, _ make: @escaping () -> OpaquePointer) -> Contestant {
        Contestant(.c, detail, deliveries: deliveries) {
            let nodes = CNodeOwner(make())
            var next: Int64 = 1
            return { times in
                let before = nodes_deliveries(nodes.pointer)
                for value in next..<(next + Int64(times)) { nodes_set(nodes.pointer, value) }
                next += Int64(times)
                return Int(nodes_deliveries(nodes.pointer) - before)
            }
        }
    }

    /// Hands every run a range of values of its own, never the same value twice, and counts what
    /// arrives.
    private static func counting(_ make: (Sink) -> (Range<Int>) -> Void) -> (Int) -> Int {
        let sink = Sink()
        let operate = make(sink)
        var next = 1
        return { times in
            let values = next..<(next + times)
            next += times
            return sink.counting { operate(values) }
        }
    }
}

/// Frees a graph of C when it is no longer measured.
private final class CNodeOwner {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { nodes_free(pointer) }
}
