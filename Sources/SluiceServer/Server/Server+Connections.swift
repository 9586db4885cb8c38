internal import HTTP

// The list of connections.
extension Server {
    func add(_ connection: Connection) {
        connection.place = Int32(connections.count)
        connections.append(connection)
    }

    /// Another connection takes over the socket.
    func replace(_ old: Connection, by new: Connection) {
        new.place = old.place
        connections[Int(old.place)] = new
        old.place = -1
    }

    func remove(_ connection: Connection) {
        guard connection.place >= 0 else { return }
        let last = connections.removeLast()
        if last !== connection {
            last.place = connection.place
            connections[Int(last.place)] = last
        }
        connection.place = -1
        memoryReturn?.note()
        if writing === connection { writing = nil }
        if let address = connection.countedAddress { acceptor.forget(address) }
        if connections.isEmpty, state == .draining { finish() }
    }

    /// The compression of a connection that has agreed on it.
    func compression(_ agreement: DeflateAgreement) -> Compression? {
        if !agreement.serverKeepsContext, !agreement.clientKeepsContext,
            agreement.serverWindowBits ?? 15 == 15
        {
            return sharedCompression
        }
        return Compression(agreement, inflaters: inflaters, counters: compressionCounters)
    }

    /// Whether there is memory for another connection with contexts of its own.
    var hasRoomForContexts: Bool {
        compressionCounters.contextBytes + Compression.contextBytes(DeflateAgreement())
            <= configuration.fixed.contextBytes
    }
}
