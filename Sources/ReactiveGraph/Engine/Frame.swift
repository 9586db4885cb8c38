/// A pass that is running: one node delivering one emission to its edges.
struct Frame {
    /// `nil` when the node died in its own pass, and for the source of a replay.
    var node: NodeRef?
    /// The next edge to serve, in memory, so that code that removes this edge can move it on.
    var next: EdgeRef?
    /// Edges connected later than this have been fed at their connection.
    ///
    /// Once the node has died: its number.
    var limit: UInt64
    /// The flags, and above them the number of extras: one word, so that a pass begins with one
    /// store and ends with one look.
    private var state: UInt64

    init(node: NodeRef?, next: EdgeRef?, limit: UInt64, extras: Int32, transforms: Bool) {
        self.node = node
        self.next = next
        self.limit = limit
        state = UInt64(UInt32(bitPattern: extras)) << 32 | (transforms ? Self.transforms : 0)
    }

    private static let transforms: UInt64 = 1
    private static let synced: UInt64 = 2
    private static let drained: UInt64 = 4

    /// The listeners are served.
    var transforms: Bool {
        get { state & Self.transforms != 0 }
        set { if newValue { state |= Self.transforms } else { state &= ~Self.transforms } }
    }
    /// The emission came over an identity sync, or has gone out over one: the node's `origin` is of
    /// this emission.
    var synced: Bool {
        get { state & Self.synced != 0 }
        set { if newValue { state |= Self.synced } else { state &= ~Self.synced } }
    }
    /// Emissions were taken from the node's queue.
    var drained: Bool {
        get { state & Self.drained != 0 }
        set { if newValue { state |= Self.drained } else { state &= ~Self.drained } }
    }
    /// How many extras stand in front of this frame.
    var extras: Int32 {
        get { Int32(bitPattern: UInt32(state >> 32)) }
        set { state = UInt64(UInt32(bitPattern: newValue)) << 32 | state & 0xFFFF_FFFF }
    }
    /// Neither drained nor with extras: it is popped without more ado.
    var isPlain: Bool { state < Self.drained }
}

/// Saved by a frame that takes emissions from its node's queue; owns what came with the current
/// one.
struct Drain {
    let base: Int
    let restored: Ref<Trail>?
    let context: Ref<Context>?
    var trail: Trail?
    var carried: Context?
}

/// The frames of the passes that are running, on a stack of the engine's own.
@safe struct PassStack {
    private(set) var frames: UnsafeMutablePointer<Frame>
    private(set) var capacity = 64
    var depth = 0
    /// First frame of the current path.
    var base = 0
    /// What to go back to when a frame that drained its queue is popped.
    var drains: ContiguousArray<Drain> = []

    init() {
        unsafe frames = .allocate(capacity: capacity)
    }

    func deallocate() {
        unsafe frames.deallocate()
    }

    @inline(never)
    mutating func grow() {
        let grown = UnsafeMutablePointer<Frame>.allocate(capacity: capacity * 2)
        unsafe grown.moveInitialize(from: frames, count: depth)
        unsafe frames.deallocate()
        unsafe frames = unsafe grown
        capacity *= 2
    }
}
