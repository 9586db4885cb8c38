/// First in, first out, in a ring of places that are used again: no allocation once it has grown.
///
/// A ring that had to grow large is given back when it runs empty.
@usableFromInline
struct Queue<Element> {
    /// A power of two of places, or none.
    @usableFromInline var places: ContiguousArray<Element?> = []
    @usableFromInline var head = 0
    @usableFromInline var count = 0

    @usableFromInline init() {}

    @inlinable var isEmpty: Bool { count == 0 }
    @inlinable var first: Element? { isEmpty ? nil : places[head] }
    @inlinable var last: Element? { isEmpty ? nil : places[(head + count - 1) & (places.count - 1)] }

    /// The elements by their place in the order.
    @inlinable
    subscript(index: Int) -> Element {
        guard index < count, let element = places[(head + index) & (places.count - 1)] else {
            preconditionFailure("a queue has no element \(index)")
        }
        return element
    }

    @inlinable
    mutating func append(_ element: Element) {
        if count == places.count { grow() }
        places[(head + count) & (places.count - 1)] = element
        count += 1
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = places[head].take()
        head = (head + 1) & (places.count - 1)
        count -= 1
        if count == 0, places.count > 1024 { removeAll() }
        return element
    }

    @usableFromInline
    mutating func removeAll() {
        // The death of an element may run code that comes back here.
        let old = places
        places = []
        head = 0
        count = 0
        withExtendedLifetime(old) {}
    }

    @usableFromInline
    mutating func grow() {
        var grown = ContiguousArray<Element?>()
        grown.reserveCapacity(max(4, places.count * 2))
        for index in 0..<count {
            grown.append(places[(head + index) & (places.count - 1)].take())
        }
        grown.append(contentsOf: repeatElement(nil, count: max(4, places.count * 2) - count))
        places = grown
        head = 0
    }
}

extension Queue: Sendable where Element: Sendable {}
