internal import DequeModule

/// Something that has ended, as far as an observer has to be told of it.
protocol Ending {
    /// Bytes that it holds beside itself.
    var heldBytes: Int { get }
    /// Whether the observer's client was shown it while it was there.
    var wasShown: Bool { get }
    /// That it ended, and nothing else.
    var brief: Self { get }
}

/// What has ended since an observer's last message, oldest first, within bounds.
///
/// Beyond them the oldest make room: of what the client was shown only stays that it ended, because nothing else would take it
/// from the client's picture; what the client never saw is left out. So what is held is bounded by `most`, by the
/// bytes given, and by what was shown last.
struct Endings<Element: Ending> {
    /// How many are told in full.
    private static var most: Int { 10_000 }
    /// What one costs beside the bytes it holds.
    private static var cost: Int { 64 }

    private let mostBytes: Int
    private var briefs: [Element] = []
    /// In full.
    private var rest: Deque<Element> = []
    private var bytes = 0

    /// Holds as many bytes, and at least what was shown.
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
