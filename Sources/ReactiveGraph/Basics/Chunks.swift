/// An array that grows by chunks: appending never copies what is there, so that no call takes long,
/// however many elements there are.
@usableFromInline
package struct Chunks<Element> {
    @usableFromInline static var bits: Int { 10 }
    @usableFromInline static var mask: Int { (1 << bits) - 1 }

    /// All but the last are full, and none is empty.
    @usableFromInline var chunks: ContiguousArray<ContiguousArray<Element>> = []
    /// How many elements there are.
    @usableFromInline package var count = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { count == 0 }
    @inlinable package var first: Element? { chunks.first?.first }
    @inlinable package var last: Element? { chunks.last?.last }

    @inlinable
    package subscript(index: Int) -> Element {
        @inline(__always) _read { yield chunks[index >> Self.bits][index & Self.mask] }
        @inline(__always) _modify { yield &chunks[index >> Self.bits][index & Self.mask] }
    }

    @inlinable
    package mutating func append(_ element: Element) {
        if count & Self.mask == 0 { chunks.append([]) }
        chunks[chunks.count - 1].append(element)
        count += 1
    }

    @inlinable
    @discardableResult
    package mutating func removeLast() -> Element {
        let element = chunks[chunks.count - 1].removeLast()
        count -= 1
        if count & Self.mask == 0 { chunks.removeLast() }
        return element
    }
}
