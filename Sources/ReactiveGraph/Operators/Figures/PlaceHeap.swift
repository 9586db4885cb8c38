/// Elements at numbered places, of which the first in order is known; a change costs logarithmic
/// time.
///
/// Places are small numbers: those that a ``Reduction`` knows its members by.
public struct PlaceHeap<Element: Comparable> {
    @usableFromInline
    struct Entry {
        @usableFromInline var element: Element
        @usableFromInline let place: Int

        @inlinable
        init(_ element: Element, _ place: Int) {
            self.element = element
            self.place = place
        }
    }

    @usableFromInline let isReversed: Bool
    @usableFromInline var entries = Chunks<Entry>()
    /// Where the element of each place stands in `entries`; −1: there is none.
    @usableFromInline var indices = Chunks<Int>()

    /// - Parameter isReversed: whether the greatest comes first, and not the least.
    @inlinable
    public init(isReversed: Bool = false) {
        self.isReversed = isReversed
    }

    /// Whether there are no elements.
    @inlinable public var isEmpty: Bool { entries.isEmpty }

    /// How many elements there are.
    @inlinable public var count: Int { entries.count }

    /// All elements with their places, in no particular order.
    @inlinable public var all: [(element: Element, place: Int)] {
        (0..<entries.count).map { (entries[$0].element, entries[$0].place) }
    }

    /// The first element in order, and its place; of equal elements, any.
    @inlinable public var first: (element: Element, place: Int)? {
        entries.first.map { ($0.element, $0.place) }
    }

    /// Adds the element of a place that has none.
    @inlinable
    public mutating func insert(_ element: Element, at place: Int) {
        while indices.count <= place { indices.append(-1) }
        indices[place] = entries.count
        entries.append(Entry(element, place))
        rise(entries.count - 1)
    }

    /// Changes the element of a place that has one.
    @inlinable
    public mutating func replace(with element: Element, at place: Int) {
        let index = indices[place]
        entries[index].element = element
        if !rise(index) { sink(index) }
    }

    /// Takes away the element of a place that has one.
    @inlinable
    public mutating func remove(at place: Int) {
        let index = indices[place]
        let last = entries.removeLast()
        indices[place] = -1
        guard index < entries.count else { return }
        entries[index] = last
        indices[last.place] = index
        if !rise(index) { sink(index) }
    }

    /// Whether there is an element at the place.
    @inlinable
    public func has(_ place: Int) -> Bool {
        place < indices.count && indices[place] >= 0
    }

    @inlinable
    func isBefore(_ a: Entry, _ b: Entry) -> Bool {
        isReversed ? b.element < a.element : a.element < b.element
    }

    @inlinable
    @discardableResult
    mutating func rise(_ start: Int) -> Bool {
        var index = start
        let entry = entries[index]
        while index > 0 {
            let parent = (index - 1) / 2
            guard isBefore(entry, entries[parent]) else { break }
            entries[index] = entries[parent]
            indices[entries[index].place] = index
            index = parent
        }
        guard index != start else { return false }
        entries[index] = entry
        indices[entry.place] = index
        return true
    }

    @inlinable
    mutating func sink(_ start: Int) {
        var index = start
        let entry = entries[index]
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { break }
            if child + 1 < entries.count, isBefore(entries[child + 1], entries[child]) { child += 1 }
            guard isBefore(entries[child], entry) else { break }
            entries[index] = entries[child]
            indices[entries[index].place] = index
            index = child
        }
        guard index != start else { return }
        entries[index] = entry
        indices[entry.place] = index
    }
}
