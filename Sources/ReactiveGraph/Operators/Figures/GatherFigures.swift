// What can be made of the members of a `GatheringNode`.

/// The sum, exact and rounded once; zero without values.
public struct GatherSum<Value: BinaryFloatingPoint>: Reduction {
    @usableFromInline var sum = ExactSum<Value>()

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Value, at place: Int) { sum.add(value) }

    @inlinable public mutating func remove(_ old: Value, at place: Int) { sum.subtract(old) }

    @inlinable public func result(of members: GatheredMembers<Value>) -> Emission<Value> { .value(sum.value) }
}

/// The mean, exact and rounded once; empty without values.
public struct GatherAverage<Value: BinaryFloatingPoint>: Reduction {
    @usableFromInline var sum = ExactSum<Value>()

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Value, at place: Int) { sum.add(value) }

    @inlinable public mutating func remove(_ old: Value, at place: Int) { sum.subtract(old) }

    @inlinable
    public func result(of members: GatheredMembers<Value>) -> Emission<Value> { Emission(sum.mean) }
}

/// The sum of integers; zero without values.
public struct GatherTotal<Value: BinaryInteger>: Reduction {
    @usableFromInline var total: Value = 0

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Value, at place: Int) { total += value }

    @inlinable public mutating func remove(_ old: Value, at place: Int) { total -= old }

    @inlinable public func result(of members: GatheredMembers<Value>) -> Emission<Value> { .value(total) }
}

/// The least or the greatest value; empty without values.
///
/// A change takes logarithmic time.
public struct GatherExtreme<Value: Comparable>: Reduction {
    @usableFromInline var values: PlaceHeap<Value>

    @inlinable
    init(isReversed: Bool) { values = PlaceHeap(isReversed: isReversed) }

    /// A reduction to the least value.
    @inlinable public static var min: GatherExtreme { GatherExtreme(isReversed: false) }

    /// A reduction to the greatest value.
    @inlinable public static var max: GatherExtreme { GatherExtreme(isReversed: true) }

    @inlinable
    public mutating func insert(_ value: Value, at place: Int) {
        values.insert(value, at: place)
    }

    @inlinable
    public mutating func replace(_ old: Value, with new: Value, at place: Int) {
        values.replace(with: new, at: place)
    }

    @inlinable public mutating func remove(_ old: Value, at place: Int) { values.remove(at: place) }

    @inlinable
    public func result(of members: GatheredMembers<Value>) -> Emission<Value> {
        Emission(values.first?.element)
    }
}

/// How many members hold a value.
public struct GatherCount<Value>: Reduction {
    @usableFromInline var count = 0

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Value, at place: Int) { count += 1 }

    @inlinable public mutating func replace(_ old: Value, with new: Value, at place: Int) {}

    @inlinable public mutating func remove(_ old: Value, at place: Int) { count -= 1 }

    @inlinable public func result(of members: GatheredMembers<Value>) -> Emission<Int> { .value(count) }
}

/// Whether any value is true; false without values.
public struct GatherAny: Reduction {
    @usableFromInline var holding = 0

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Bool, at place: Int) { holding += value ? 1 : 0 }

    @inlinable public mutating func remove(_ old: Bool, at place: Int) { holding -= old ? 1 : 0 }

    @inlinable public func result(of members: GatheredMembers<Bool>) -> Emission<Bool> { .value(holding > 0) }
}

/// Whether all values are true; true without values.
public struct GatherAll: Reduction {
    @usableFromInline var failing = 0

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Bool, at place: Int) { failing += value ? 0 : 1 }

    @inlinable public mutating func remove(_ old: Bool, at place: Int) { failing -= old ? 0 : 1 }

    @inlinable
    public func result(of members: GatheredMembers<Bool>) -> Emission<Bool> { .value(failing == 0) }
}

/// The values in the order of their keys; of equal keys in the order in which they came.
public struct GatherList<Value>: Reduction {
    @usableFromInline var order = GatherOrder()

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Value, at place: Int) { order.insert(place) }

    @inlinable public mutating func replace(_ old: Value, with new: Value, at place: Int) {}

    @inlinable public mutating func remove(_ old: Value, at place: Int) { order.remove(place) }

    @inlinable
    public mutating func result(of members: GatheredMembers<Value>) -> Emission<[Value]> {
        .value(order.places { members.key(at: $0) }.compactMap { members.value(at: $0) })
    }
}

/// The values by their keys; of equal keys the last one that came.
public struct GatherDictionary<Value>: Reduction {
    @usableFromInline var order = GatherOrder()

    @inlinable public init() {}

    @inlinable public mutating func insert(_ value: Value, at place: Int) { order.insert(place) }

    @inlinable public mutating func replace(_ old: Value, with new: Value, at place: Int) {}

    @inlinable public mutating func remove(_ old: Value, at place: Int) { order.remove(place) }

    @inlinable
    public mutating func result(of members: GatheredMembers<Value>) -> Emission<[String: Value]> {
        var values: [String: Value] = [:]
        for place in order.places({ members.key(at: $0) }) {
            values[members.key(at: place)] = members.value(at: place)
        }
        return .value(values)
    }
}

/// The places of members in the order of their keys.
///
/// Sorted when asked for: what has come since is sorted and merged, so that coming and going cost a
/// fixed amount of work.
public struct GatherOrder {
    @usableFromInline
    struct Entry {
        @usableFromInline let place: Int
        /// Which of the members that have had this place it is.
        @usableFromInline let number: Int

        @inlinable
        init(place: Int, number: Int) {
            self.place = place
            self.number = number
        }
    }

    @usableFromInline var sorted: ContiguousArray<Entry> = []
    @usableFromInline var new: ContiguousArray<Entry> = []
    /// The number of the member at each place; 0: there is none.
    @usableFromInline var numbers: ContiguousArray<Int> = []
    @usableFromInline var lastNumber = 0
    @usableFromInline var hasGone = false

    /// No places.
    @inlinable public init() {}

    /// A member has come.
    @inlinable
    public mutating func insert(_ place: Int) {
        while numbers.count <= place { numbers.append(0) }
        lastNumber += 1
        numbers[place] = lastNumber
        new.append(Entry(place: place, number: lastNumber))
    }

    /// A member has gone.
    @inlinable
    public mutating func remove(_ place: Int) {
        numbers[place] = 0
        hasGone = true
    }

    /// The places in the order of the keys that `key` gives.
    @inlinable
    public mutating func places(_ key: (Int) -> String) -> some Sequence<Int> {
        if hasGone || !new.isEmpty { sort(key) }
        return sorted.lazy.map { $0.place }
    }

    @inlinable
    mutating func sort(_ key: (Int) -> String) {
        if hasGone {
            let numbers = numbers
            sorted.removeAll { numbers[$0.place] != $0.number }
            new.removeAll { numbers[$0.place] != $0.number }
            hasGone = false
        }
        guard !new.isEmpty else { return }
        // Stable: in the order of coming.
        new.sort { (key($0.place), $0.number) < (key($1.place), $1.number) }
        var merged: ContiguousArray<Entry> = []
        merged.reserveCapacity(sorted.count + new.count)
        var next = 0
        for entry in sorted {
            while next < new.count, key(new[next].place) < key(entry.place) {
                merged.append(new[next])
                next += 1
            }
            merged.append(entry)
        }
        merged.append(contentsOf: new[next...])
        sorted = merged
        new = []
    }
}
