public import ReactiveGraph
public import Values

/// An edge with which a client listens.
open class ClientListen: ChangeListen<Datum> {
    /// Whether its connection has ended and it waits for its client to come back: it makes its node
    /// not wanted.
    open var isKept: Bool { preconditionFailure("said by each kind of it") }
    /// Whether producers are asked for missing and stale values (D-2).
    open var loads: Bool { preconditionFailure("said by each kind of it") }
    /// How its values go on, if a server listens for a source node of its own (S-9).
    open var way: Way? { nil }
    /// Whether only globs match its node: they keep no family member alive (F-4).
    open var isByGlob: Bool { false }
}
