internal import Graphs

/// State that few sessions need, in one object, so that thousands of quiet sessions stay small.
final class Extras {
    /// The client's name from `hello`.
    var client: String?
    /// The observers of this session, which own nothing.
    var observers: [Observer] = []
    var demands: [DemandWatch] = []
    /// Messages that were not JSON.
    var badMessages = Violations(countsEach: true)
    /// Requests for things that do not exist.
    var misuse = Violations()
    /// What its links have to set.
    var links: SessionLinks?
    /// The nodes that are cleared when this session ends.
    var presence = PresenceClaims()
    /// Milliseconds after which the client of a stopping server should reconnect.
    var reconnectAfter: Int?
    /// The owners that the client has named; nil if it never named one.
    var owners: OwnerTable?
    /// The chains kept for its client; empty before it is closed.
    var keptChains: [KeptChain] = []
    /// The pipelines of a client without a name.
    var ownAccount: PipelineAccount?
    /// Waits for the `hello` of a client that needs a token.
    var greeting: Greeting?
    var expiry: TokenExpiry?
    /// Waits for the last answers to the client of a stopping server.
    var leaving: Leaving?

    var madeLinks: SessionLinks {
        let made = links ?? SessionLinks()
        links = made
        return made
    }

    /// The session is closed: nothing is awaited or observed any more.
    func close() {
        greeting?.cancel()
        greeting = nil
        expiry?.cancel()
        expiry = nil
        leaving?.cancel()
        leaving = nil
        for observer in observers { observer.cancel() }
        observers = []
        for demand in demands { demand.end() }
        demands = []
    }
}

extension Session {
    /// The client's name from `hello`.
    public var client: String? { extras?.client }
    var observers: [Observer] { extras?.observers ?? [] }
    var demands: [DemandWatch] { extras?.demands ?? [] }
    var owners: OwnerTable? { extras?.owners }
    var keptChains: [KeptChain] { extras?.keptChains ?? [] }
    var reconnectAfter: Int? { extras?.reconnectAfter }

    var madeExtras: Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }
}
