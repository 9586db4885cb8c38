internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Logging
internal import Support

// Connections: admission, counting, the list.
extension Server {
    /// Accepts a connection, or turns it away.
    func accept(_ socket: TCPConnection, at listener: HTTPListener) {
        beginTurn()
        activity.note(.accepting)
        accepted += 1
        socket.setNoDelay(true)
        guard connections.count - refusing < listener.mostConnections else { return turnAway(socket) }
        // Behind a proxy the client is counted, whom the first request names.
        let isCounted =
            connectionsPerAddress > 0 && listener.side != .operations
            && !proxies.trusts(socket.peerAddress)
        let address = isCounted ? socket.peerAddress?.host ?? "" : nil
        if let address, !hasRoom(for: address) { return turnAway(socket) }
        lastNumber += 1
        guard let transport = secured(socket) else { return }
        let connection = HTTPConnection(
            server: self,
            listener: listener,
            number: lastNumber,
            socket: transport
        )
        if let address { _ = count(connection, as: address) }
    }

    private func hasRoom(for address: String) -> Bool {
        addresses[address, default: 0] < connectionsPerAddress
    }

    /// Counts a connection for an address, and no longer for its former one; false if there is no
    /// room.
    func count(_ connection: Connection, as address: String) -> Bool {
        guard connectionsPerAddress > 0, connection.countedAddress != address else {
            return true
        }
        if let former = connection.countedAddress { forget(former) }
        connection.countedAddress = nil
        guard hasRoom(for: address) else { return false }
        addresses[address, default: 0] += 1
        connection.countedAddress = address
        return true
    }

    /// The socket, with TLS if configured; nil if OpenSSL has no memory for it.
    private func secured(_ socket: TCPConnection) -> Transport? {
        guard let tls else { return .plain(socket) }
        do throws(TLSFailure) {
            let session = try TLSSession(tls, outboxes: outboxes)
            let channel = SecureChannel(
                socket,
                session,
                room: plaintext,
                outboxes: outboxes,
                handshakes: handshakes
            )
            channel.onFailure = { [unowned self, unowned channel] in report($0, on: channel) }
            return .secure(channel)
        } catch {
            log.error("no TLS for a connection", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func report(_ failure: TLSFailure, on channel: SecureChannel) {
        tlsFailures += 1
        log.debug(
            "TLS ended a connection",
            metadata: ["peer": "\(channel.socket.peerAddress?.description ?? "")", "error": "\(failure)"]
        )
        guard failure.isPlainHTTP else { return }
        var out = ByteBuffer()
        Refusal(.badRequest, "this port speaks https, not http")
            .append(encoder, ResponseFraming(omitsBody: false, keepsAlive: false), to: &out)
        _ = channel.socket.tryWrite(out.bytes)
    }

    /// Turns away a connection above the limit.
    ///
    /// A few at a time are refused in their own protocol (``RefusedConnection``); the others get a
    /// plain answer at once, if the socket takes it, before they have sent anything.
    private func turnAway(_ socket: TCPConnection) {
        turnedAway += 1
        if refusing < RefusedConnection.mostAtOnce, let transport = secured(socket) {
            lastNumber += 1
            _ = RefusedConnection(server: self, number: lastNumber, socket: transport)
            return
        }
        if tls == nil {
            var out = ByteBuffer()
            RefusedConnection.refusal.append(
                encoder,
                ResponseFraming(omitsBody: false, keepsAlive: false),
                to: &out
            )
            _ = socket.tryWrite(out.bytes)
        }
        socket.close()
    }

    /// Adds a new connection to the list.
    func add(_ connection: Connection) {
        connection.place = connections.count
        connections.append(connection)
    }

    /// Another connection takes over the socket.
    func replace(_ old: Connection, by new: Connection) {
        new.place = old.place
        connections[old.place] = new
        old.place = -1
    }

    /// Removes a closed connection from the list.
    func remove(_ connection: Connection) {
        guard connection.place >= 0 else { return }
        let last = connections.removeLast()
        if last !== connection {
            last.place = connection.place
            connections[last.place] = last
        }
        connection.place = -1
        memoryReturn?.note()
        if let writing, writing.toOpaque() == Unmanaged.passUnretained(connection).toOpaque() {
            self.writing = nil
        }
        if let address = connection.countedAddress { forget(address) }
        if connections.isEmpty, state == .draining { finish() }
    }

    private func forget(_ address: String) {
        let count = addresses[address, default: 1] - 1
        addresses[address] = count > 0 ? count : nil
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
