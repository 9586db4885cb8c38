/// The connections whose peers have not taken all their bytes, and how many bytes these are for
/// each principal.
///
/// One connection has bounds of its own (`limits.unsentHard`, `limits.answer`); those of one
/// principal are together bounded by `limits.held`, so that many hold no more than a few do. Above
/// it, the one that holds the most is reset at the end of the turn, and so on until the others fit.
///
/// Clients without a name are not counted here: each is a principal of its own.
struct SlowPeers {
    /// What the peers of one principal have not taken.
    fileprivate final class Account {
        let name: String
        var bytes = 0
        var peers: ContiguousArray<SlowPeer> = []
        var isListed = false

        init(name: String) {
            self.name = name
        }
    }

    private let limit: Int
    private var accounts: [String: Account] = [:]
    /// Accounts that were above the limit in this turn.
    private var exceeded: [Account] = []
    /// How many connections were reset.
    private(set) var resets: UInt64 = 0

    /// No peers yet; `limit`: the most bytes of one principal.
    init(limit: Int) {
        self.limit = limit
    }

    /// A connection that is behind holds more, or less.
    ///
    /// - Parameters:
    ///   - peer: its entry; nil the first time.
    ///   - connection: the connection.
    ///   - keeping: the size of a buffer that is now kept until the peer has taken all of it.
    ///   - queued: the bytes in the socket, of such buffers or of its own.
    ///   - waiting: the bytes that the socket does not have yet.
    /// - Returns: its entry, for the next time and for ``remove(_:)``; nil if its client has no
    ///   name.
    mutating func note(
        _ peer: SlowPeer?,
        of connection: Connection,
        keeping: Int,
        queued: Int,
        waiting: Int
    ) -> SlowPeer? {
        guard let peer = peer ?? add(connection) else { return nil }
        let account = peer.account
        peer.kept += keeping
        let bytes = max(peer.kept, queued) + waiting
        account.bytes += bytes - peer.bytes
        peer.bytes = bytes
        if account.bytes > limit, !account.isListed {
            account.isListed = true
            exceeded.append(account)
        }
        return peer
    }

    private mutating func add(_ connection: Connection) -> SlowPeer? {
        guard let name = connection.principal else { return nil }
        let account = accounts[name] ?? Account(name: name)
        accounts[name] = account
        let peer = SlowPeer(connection, at: account.peers.count, in: account)
        account.peers.append(peer)
        return peer
    }

    /// The peer has taken everything, or its connection has ended.
    mutating func remove(_ peer: SlowPeer) {
        let account = peer.account
        account.bytes -= peer.bytes
        let last = account.peers.removeLast()
        if last !== peer {
            last.place = peer.place
            account.peers[last.place] = last
        }
        if account.peers.isEmpty { accounts[account.name] = nil }
    }

    /// Whether a principal has been above the limit in this turn.
    @inline(__always)
    var isExceeded: Bool { !exceeded.isEmpty }

    /// The next connection to reset; nil if no principal is above the limit any more.
    ///
    /// It is counted until the caller has passed its entry to ``remove(_:)``.
    mutating func next() -> Connection? {
        while let account = exceeded.last {
            if account.bytes > limit, account.peers.count > 1,
                let most = account.peers.max(by: { $0.bytes < $1.bytes })
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

/// A connection that is behind, as ``SlowPeers`` counts it.
final class SlowPeer {
    /// It holds this entry, and removes it before it ends.
    fileprivate unowned(unsafe) let connection: Connection
    fileprivate let account: SlowPeers.Account
    /// Its index in the account.
    fileprivate var place: Int
    fileprivate var bytes = 0
    /// The sizes of the buffers that the socket is writing.
    fileprivate var kept = 0

    fileprivate init(_ connection: Connection, at place: Int, in account: SlowPeers.Account) {
        self.connection = connection
        self.place = place
        self.account = account
    }
}
