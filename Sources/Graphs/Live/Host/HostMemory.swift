internal import Definitions

/// What all graphs of a host together hold in memory, and have released.
struct HostMemory {
    /// The members of families, by principal.
    let members = MemberAccounts()
    /// The histories by time.
    let histories: HistoryRoom
    /// How often unused nodes were released.
    private(set) var flushes: UInt64 = 0
    private(set) var released: UInt64 = 0
    /// The round of the search for unreachable nodes.
    var leakRound: UInt64 = 0

    init(_ limits: SessionLimits) {
        histories = HistoryRoom(limit: limits.historyMemory, byteLimit: limits.historyBytes)
    }

    /// So many unused nodes were released.
    mutating func count(_ nodes: UInt64) {
        flushes += 1
        released += nodes
    }
}
