/// How many connections each address has (`limits.connectionsPerAddress`).
final class AddressCounts {
    /// Open connections of one address; 0: no limit.
    let most: Int
    private var counts: [String: Int] = [:]

    init(most: Int) {
        self.most = most
    }

    func hasRoom(for address: String) -> Bool { counts[address, default: 0] < most }

    /// Counts a connection for an address, and no longer for its former one; false if there is no
    /// room.
    func count(_ connection: Connection, as address: String) -> Bool {
        guard most > 0, connection.countedAddress != address else { return true }
        if let former = connection.countedAddress { forget(former) }
        connection.countedAddress = nil
        guard hasRoom(for: address) else { return false }
        counts[address, default: 0] += 1
        connection.countedAddress = address
        return true
    }

    /// A counted connection is gone.
    func forget(_ address: String) {
        let count = counts[address, default: 1] - 1
        counts[address] = count > 0 ? count : nil
    }
}
