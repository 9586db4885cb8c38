public import DequeModule

/// First in, first out: a deque that gives its memory back when it had to grow large and runs
/// empty.
@usableFromInline
struct Queue<Element> {
    @usableFromInline var elements = Deque<Element>()
    /// The most elements at a time since it had no memory; a deque does not say how much it has.
    @usableFromInline var peak = 0

    @usableFromInline init() {}

    @inlinable var isEmpty: Bool { elements.isEmpty }
    @inlinable var count: Int { elements.count }
    @inlinable var first: Element? { elements.first }
    @inlinable var last: Element? { elements.last }

    /// The elements by their place in the order.
    @inlinable subscript(index: Int) -> Element { elements[index] }

    @inlinable
    mutating func append(_ element: Element) {
        elements.append(element)
        if elements.count > peak { peak = elements.count }
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard let element = elements.popFirst() else { return nil }
        if elements.isEmpty, peak > 1024 { removeAll() }
        return element
    }

    @usableFromInline
    mutating func removeAll() {
        // The death of an element may run code that comes back here.
        let old = elements
        elements = []
        peak = 0
        withExtendedLifetime(old) {}
    }
}

extension Queue: Sendable where Element: Sendable {}
