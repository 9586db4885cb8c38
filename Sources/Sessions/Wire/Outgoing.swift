public import Graphs
public import Support
internal import Values

/// One message of a session to its client: what it is, and its bytes.
///
/// A transport frames the bytes. It need not read them: what it may want to know is here.
public struct Outgoing {
    /// What a message is (docs/protocol.md).
    public enum Kind: Equatable, Sendable {
        /// The answer to a request, or a report that one has asked for.
        case answer
        /// The first message of a subscription: `snap`.
        case snapshot
        /// New values: `upd`.
        case update
        /// A sign of life: `hb`.
        case heartbeat
        /// A subscription has ended: `end`.
        case end(EndCode)
        /// A value of a bare stream; with facets an object.
        case value
        /// The node of a bare stream has become empty or has failed: nothing is to be sent.
        case noValue
    }

    /// Where the bytes are; a message that is sent later has its own.
    private enum Content {
        case built(MessageMemory, Range<Int>)
        case kept([UInt8])
        case value(Datum)
        case none
    }

    public let kind: Kind
    /// The graph that it is about; nil: none, or several.
    public let graph: LiveGraph?
    /// What the client has of the graph with it.
    public let rev: UInt64?
    /// Equal for messages with the same bytes, which clients get one after the other; 0: only this
    /// client gets it.
    ///
    /// After one with a number the session sends nothing else in this turn, so a transport need not
    /// collect messages.
    public let number: UInt64
    private let content: Content

    private init(_ kind: Kind, _ graph: LiveGraph?, _ rev: UInt64?, number: UInt64 = 0, _ content: Content) {
        (self.kind, self.graph, self.rev, self.number) = (kind, graph, rev, number)
        self.content = content
    }

    /// A message whose bytes have just been built.
    @inline(__always)
    init(
        _ kind: Kind,
        of graph: LiveGraph?,
        rev: UInt64?,
        number: UInt64 = 0,
        in memory: MessageMemory,
        _ range: Range<Int>
    ) {
        self.init(kind, graph, rev, number: number, .built(memory, range))
    }

    /// A message with bytes of its own.
    init(_ kind: Kind, of graph: LiveGraph? = nil, rev: UInt64? = nil, _ bytes: [UInt8]) {
        self.init(kind, graph, rev, .kept(bytes))
    }

    /// What a bare stream sends when its node has that value.
    init(_ value: Datum?, of graph: LiveGraph, rev: UInt64) {
        if let value, !value.isFail {
            self.init(.value, graph, rev, .value(value))
        } else {
            self.init(.noValue, graph, rev, .none)
        }
    }

    /// The same message with bytes of its own, to be sent later.
    func kept() -> Outgoing { Outgoing(kind, graph, rev, .kept(withBytes { Array($0) })) }

    /// Calls `body` with the bytes, which are valid only during the call.
    public func withBytes<R>(_ body: (BorrowedBytes) -> R) -> R {
        switch content {
        case .built(let memory, let range): body(memory.bytes.bytes.part(range))
        case .kept(let bytes): bytes.withBorrowedBytes(body)
        case .value(let value): value.withBytes(body)
        case .none: body(BorrowedBytes())
        }
    }
}
