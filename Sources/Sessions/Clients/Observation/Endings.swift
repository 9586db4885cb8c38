internal import DequeModule

/// Something that has ended, as far as an observer needs to know.
protocol Ending {
    /// Memory that it holds besides itself, in bytes.
    var heldBytes: Int { get }
    /// Whether the observer's client was shown it while it existed.
    var wasShown: Bool { get }
    /// The same without details.
    var brief: Self { get }
}

/// What has ended since an observer's last message, oldest first, within bounds.
///
/// Above the bounds the oldest are shortened: those that the client was shown are kept without
/// details, because otherwise they would stay in the client's picture; others are left out. So the
/// memory is bounded by `most`, by the bytes given, and by what was shown last.
struct Endings<Element: Ending> {
    /// How many are reported with details.
    private static var most: Int { 10_000 }
    /// The cost of one besides the bytes it holds.
    private static var cost: Int { 64 }

    private let mostBytes: Int
    private var briefs: [Element] = []
    /// With details.
    private var rest: Deque<Element> = []
    private var bytes = 0

    /// Holds at most that many bytes, and at least what was shown.
    init(atMost mostBytes: Int) {
        self.mostBytes = mostBytes
    }

    var isEmpty: Bool { briefs.isEmpty && rest.isEmpty }

    /// All of them, in the order in which they ended.
    var all: [Element] { briefs + rest }

    mutating func append(_ element: Element) {
        rest.append(element)
        bytes += element.heldBytes + Self.cost
        while rest.count > Self.most || bytes > mostBytes { makeRoom() }
    }

    private mutating func makeRoom() {
        let oldest = rest.removeFirst()
        bytes -= oldest.heldBytes + Self.cost
        if oldest.wasShown { briefs.append(oldest.brief) }
    }

    mutating func removeAll() {
        briefs = []
        rest = []
        bytes = 0
    }
}
