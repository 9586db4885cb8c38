internal import Support

/// The connections that hold bytes because of their peers, and how many these are for each owner:
/// what a peer does not take, and its requests that are not sent to the end or not answered yet.
///
/// One connection has bounds of its own (`limits.unsentHard`, `limits.answer`, `limits.message`,
/// `limits.body`); those of one owner are together bounded by `limits.held`, or twice the largest
/// request if that is more, so that many hold no more than a few do. Above it, the one that holds
/// the most is ended with the turn, and so on until the others fit; but not the only slow one, if
/// the others hold less than an eighth of the limit.
struct SlowPeers {
    /// Whose bytes they are.
    enum Owner: Hashable {
        case principal(String)
        /// Of clients that have no name, or none yet; nil: those of a Unix socket.
        case address(IPAddress?)

        /// Of a client with this name, or else at this address.
        static func of(_ name: String?, at address: @autoclosure () -> IPAddress?) -> Owner {
            name.map(Owner.principal) ?? .address(address())
        }
    }

    /// What the connections of one owner hold.
    fileprivate final class Account {
        let owner: Owner
        var bytes = 0
        var peers: ContiguousArray<SlowPeer> = []
        var isListed = false

        init(owner: Owner) {
            self.owner = owner
        }
    }

    private let limit: Int
    private var accounts: [Owner: Account] = [:]
    /// Accounts that were above the limit in this turn.
    private var exceeded: [Account] = []
    /// How many connections were ended.
    private(set) var resets: UInt64 = 0

    /// No peers yet; `limit`: the most bytes of one owner.
    init(limit: Int) {
        self.limit = limit
    }

    /// A connection holds more, or less.
    ///
    /// - Parameters:
    ///   - peer: its entry; nil the first time.
    ///   - connection: the connection.
    ///   - owner: whose bytes they are; another one than before once a client has said its name.
    ///   - bytes: how many; more than 0.
    /// - Returns: its entry, for the next time and for ``remove(_:)``.
    mutating func note(
        _ peer: SlowPeer?,
        of connection: Connection,
        for owner: Owner,
        bytes: Int
    ) -> SlowPeer {
        let peer = entry(peer, of: connection, for: owner)
        let account = peer.account
        account.bytes += bytes - peer.bytes
        peer.bytes = bytes
        if account.bytes > limit, !account.isListed {
            account.isListed = true
            exceeded.append(account)
        }
        return peer
    }

    private mutating func entry(
        _ peer: SlowPeer?,
        of connection: Connection,
        for owner: Owner
    ) -> SlowPeer {
        if let peer {
            if peer.account.owner == owner { return peer }
            remove(peer)
        }
        let account = accounts[owner] ?? Account(owner: owner)
        accounts[owner] = account
        let peer = SlowPeer(connection, at: account.peers.count, in: account)
        account.peers.append(peer)
        return peer
    }

    /// The connection holds nothing any more, or it has ended.
    mutating func remove(_ peer: SlowPeer) {
        let account = peer.account
        account.bytes -= peer.bytes
        let last = account.peers.removeLast()
        if last !== peer {
            last.place = peer.place
            account.peers[last.place] = last
        }
        if account.peers.isEmpty { accounts[account.owner] = nil }
    }

    /// Whether an owner has been above the limit in this turn.
    @inline(__always)
    var isExceeded: Bool { !exceeded.isEmpty }

    /// The next connection to end; nil if no owner is above the limit any more.
    ///
    /// It is counted until its entry is passed to ``remove(_:)``, which the caller has to do.
    mutating func next() -> Connection? {
        while let account = exceeded.last {
            if account.bytes > limit, let most = account.peers.max(by: { $0.bytes < $1.bytes }),
                account.bytes - most.bytes > limit / 8
            {
                resets += 1
                return most.connection
            }
            account.isListed = false
            exceeded.removeLast()
        }
        return nil
    }
}

/// A connection that holds bytes because of its peer, as ``SlowPeers`` counts it.
final class SlowPeer {
    /// It holds this entry, and removes it before it ends.
    fileprivate unowned let connection: Connection
    fileprivate let account: SlowPeers.Account
    /// Its index in the account.
    fileprivate var place: Int
    fileprivate var bytes = 0

    fileprivate init(_ connection: Connection, at place: Int, in account: SlowPeers.Account) {
        self.connection = connection
        self.place = place
        self.account = account
    }
}
