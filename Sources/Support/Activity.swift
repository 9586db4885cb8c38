internal import Synchronization

/// What a loop's thread is doing at the moment, for a watchdog on another thread.
///
/// One thread notes its work, which costs it a store or two; any thread may look. The notes of a
/// turn that goes on are exact. Those of turns that end in the meantime may be mixed.
///
/// Unchecked, because `graphName` points to atomics and `namedGraph` is used by the loop's thread
/// only.
@safe
public final class Activity: @unchecked Sendable {
    public enum Work: UInt8, Sendable {
        /// Nothing was noted in this turn.
        case none
        case accepting
        case handshake
        /// What a connection has sent is read and done.
        case request
        case commit
        /// What has changed is sent to clients.
        case delivery
        case timers
        /// A connection that has ended releases what it needed.
        case release
    }

    /// A turn that goes on.
    public struct Turn: Equatable, Sendable {
        /// Which turn it is: no other one has this number.
        public var number: UInt64
        /// When it began, in nanoseconds of the clock passed to ``beginTurn(at:)``.
        public var began: UInt64
        public var work: Work
        /// The connection that the work is for; 0: it is for none.
        public var connection: UInt64
        /// The first 32 bytes of the name of the graph that is changed; empty: none is.
        public var graph: String

        public init(number: UInt64, began: UInt64, work: Work, connection: UInt64 = 0, graph: String = "") {
            self.number = number
            self.began = began
            self.work = work
            self.connection = connection
            self.graph = graph
        }
    }

    /// How many turns have begun and ended; odd during a turn.
    private let sequence = Atomic<UInt64>(0)
    private let began = Atomic<UInt64>(0)
    private let work = Atomic<UInt8>(0)
    private let connection = Atomic<UInt64>(0)
    private let isUnwatched = Atomic<Bool>(true)
    private static let nameWords = 4
    private let graphName = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: nameWords)
    /// Whose name is in `graphName`.
    private var namedGraph: ObjectIdentifier?

    /// A loop that does nothing.
    public init() {
        for word in 0..<Self.nameWords { unsafe (graphName + word).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe graphName.deinitialize(count: Self.nameWords)
        unsafe graphName.deallocate()
    }

    // MARK: - The loop's thread

    /// A turn begins.
    /// - Parameter now: nanoseconds of any clock that does not go back.
    /// - Returns: whether the watchdog has stopped looking and must be woken.
    public func beginTurn(at now: UInt64) -> Bool {
        began.store(now, ordering: .relaxed)
        work.store(Work.none.rawValue, ordering: .relaxed)
        connection.store(0, ordering: .relaxed)
        sequence.store(sequence.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
        return isUnwatched.load(ordering: .sequentiallyConsistent)
            && isUnwatched.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// The turn is over.
    /// - Returns: when it began.
    public func endTurn() -> UInt64 {
        sequence.store(sequence.load(ordering: .relaxed) &+ 1, ordering: .releasing)
        return began.load(ordering: .relaxed)
    }

    /// When the present turn began, or the last one where none goes on.
    public var turnBegan: UInt64 { began.load(ordering: .relaxed) }

    public func note(_ work: Work) {
        self.work.store(work.rawValue, ordering: .relaxed)
    }

    /// Notes what is done from here on, and for which connection.
    public func note(_ work: Work, connection number: UInt64) {
        self.work.store(work.rawValue, ordering: .relaxed)
        connection.store(number, ordering: .relaxed)
    }

    /// Notes that a graph, which has this name, is changed from here on.
    ///
    /// `graph` is compared with the last one, so that names are copied only when graphs take turns.
    public func noteCommit(to graph: AnyObject, named name: @autoclosure () -> String) {
        work.store(Work.commit.rawValue, ordering: .relaxed)
        guard namedGraph != ObjectIdentifier(graph) else { return }
        namedGraph = ObjectIdentifier(graph)
        copy(name())
    }

    @inline(never)
    private func copy(_ name: String) {
        var bytes = name.utf8.makeIterator()
        for place in 0..<Self.nameWords {
            var word: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                word |= UInt64(bytes.next() ?? 0) << shift
            }
            unsafe graphName[place].store(word, ordering: .relaxed)
        }
    }

    // MARK: - The watchdog's thread

    public var turnsBegun: UInt64 { (sequence.load(ordering: .sequentiallyConsistent) &+ 1) / 2 }

    /// The turn that goes on; nil between turns.
    public var turn: Turn? {
        let number = sequence.load(ordering: .acquiring)
        guard number & 1 == 1 else { return nil }
        let work = Work(rawValue: work.load(ordering: .relaxed)) ?? .none
        return Turn(
            number: (number &+ 1) / 2,
            began: began.load(ordering: .relaxed),
            work: work,
            connection: connection.load(ordering: .relaxed),
            graph: work == .commit ? name : ""
        )
    }

    /// The watchdog stops looking, and wants to be woken by the next turn.
    /// - Parameter turnsBegun: what it saw last.
    /// - Returns: false where another turn has begun since; it goes on looking then.
    public func stopWatching(after turnsBegun: UInt64) -> Bool {
        isUnwatched.store(true, ordering: .sequentiallyConsistent)
        guard self.turnsBegun != turnsBegun else { return true }
        // The loop has asked to wake it where it saw the store.
        return !isUnwatched.exchange(false, ordering: .sequentiallyConsistent)
    }

    private var name: String {
        var bytes: [UInt8] = []
        for place in 0..<Self.nameWords {
            let word = unsafe graphName[place].load(ordering: .relaxed)
            bytes += stride(from: UInt64(0), to: 64, by: 8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
