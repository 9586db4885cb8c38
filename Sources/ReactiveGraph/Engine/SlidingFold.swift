/// All elements of a queue put together by an associative function, kept up to date as elements come at one end and go at
/// the other: a fixed number of calls of the function per element, on average.
///
/// The queue is two stacks. The older elements stand in `front`, the oldest last, each with everything after it in
/// that stack already put together; the newer ones in `back`, with one total. When `front` is empty, `back` is turned
/// over. Nothing is ever subtracted, so it serves for least and greatest as well, and rounding errors do not stay.
struct SlidingFold<Element> {
    private let combine: (Element, Element) -> Element
    private var front: [Element] = []
    private var back: [Element] = []
    private var backTotal: Element?

    init(_ combine: @escaping (Element, Element) -> Element) {
        self.combine = combine
    }

    /// How many of the elements have been turned over: with it, the same elements give the same total again, to the
    /// last bit.
    var turned: Int { front.count }

    /// Everything put together, oldest first; `nil` if there is nothing.
    var total: Element? {
        guard let older = front.last else { return backTotal }
        guard let newer = backTotal else { return older }
        return combine(older, newer)
    }

    mutating func append(_ element: Element) {
        backTotal = backTotal.map { combine($0, element) } ?? element
        back.append(element)
    }

    mutating func removeFirst() {
        if front.isEmpty { turnOver() }
        front.removeLast()
    }

    /// Moves the newer elements to the older ones, of which there are none.
    mutating func turnOver() {
        while let element = back.popLast() {
            front.append(front.last.map { combine(element, $0) } ?? element)
        }
        backTotal = nil
    }
}
