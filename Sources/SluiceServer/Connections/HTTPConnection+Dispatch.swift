internal import Graphs
internal import HTTP
internal import Values

// Checking the current request and passing it to its route.
extension HTTPConnection {
    /// Checks the request and finds what answers it.
    @inline(__always)
    private func admit(_ head: RequestHead, _ server: Server, _ listener: HTTPListener) -> Admission {
        guard listener.hostCheck.accepts(head.authority) else { return .refused(.misdirected(head)) }
        if isProxied, let refusal = readForwarding(head) { return .refused(refusal) }
        return listener.admit(head, forwarding)
    }

    /// Answers a POST to a node whose path is known, if nothing speaks against the request.
    ///
    /// Most requests are of this kind. Without an ``Admission`` they take 200 instructions less.
    ///
    /// - Returns: whether it is answered, now or later.
    @inline(__always)
    private func setsKnownNode(_ head: RequestHead, _ server: Server, _ listener: HTTPListener) -> Bool {
        guard head.method == .post, head.query.isEmpty,
            let node = listener.nodePaths.node(at: head.path, in: server.host),
            listener.hostCheck.accepts(head.authority), !isProxied || readForwarding(head) == nil,
            listener.originCheck.accepts(head, forwarding)
        else { return false }
        set(node, head, server)
        return true
    }

    /// Takes over a trusted proxy's header fields for the current request.
    ///
    /// - Returns: a refusal if they name another host than this server's, or a client with too many
    ///   connections.
    private func readForwarding(_ head: RequestHead) -> Refusal? {
        let forwarding = server.proxies.forwarding(head)
        self.forwarding = forwarding
        client = forwarding.address
        if var host = forwarding.authority {
            // `Host` was checked as well, so a proxy that passes this field through unchanged opens
            // no way around the check.
            let isOurs = host.withUTF8 { listener.hostCheck.accepts(UnsafeRawBufferPointer($0)) }
            guard isOurs else { return .misdirected(head) }
        }
        guard let address = forwarding.address, !server.acceptor.count(self, as: address.description) else {
            return nil
        }
        framing.keepsAlive = false
        return Refusal(
            "too_many_connections",
            "there is no room for another connection of this address",
            retryAfterSeconds: 5
        )
    }

    /// Answers the current request, now or later.
    ///
    /// `server` is a parameter because reading it from the connection costs a reference count each
    /// time.
    func respond(_ server: Server) {
        let head = parser.head
        if setsKnownNode(head, server, listener) { return }
        record = .begin(nil, nil, head, at: server)
        switch admit(head, server, listener) {
        case .route(let route, let captures): perform(Int(route.rawValue), captures, head, server)
        case .file:
            take(.nobody)
            FileAnswer.send(head, on: self)
        case .options(let allow):
            take(.nobody)
            OptionsAnswer.send(head, allow: allow, on: self)
        case .refused(let refusal):
            take(.nobody)
            refuse(refusal)
        }
    }

    /// Finds out who sends the current request.
    @inline(__always)
    private func identify(_ head: RequestHead, for need: Operation.Need) throws(HostError) {
        do throws(HostError) {
            take(try Identification.access(of: head, on: self, for: need))
        } catch {
            take(.nobody)
            throw error
        }
    }

    private func perform(_ number: Int, _ captures: Captures, _ head: RequestHead, _ server: Server) {
        do throws(HostError) {
            let need = server.operations[number].need
            record = .begin(server.operations[number], captures, head, at: server)
            try identify(head, for: need)
            try need.check(access, captures)
            let request = Request(connection: self, captures: captures, head: head, need: need)
            if !head.query.isEmpty, try CommitQuery.isPutOff(request, server.operations[number]) { return }
            guard !head.has(.contentEncoding) || BodyDecoding.isDone(on: self) else { return }
            try server.operations[number].handler(request)
        } catch {
            refuse(error)
        }
    }

    private func set(_ node: NamedNode, _ head: RequestHead, _ server: Server) {
        record = .begin(setting: node, head, at: server)
        do throws(HostError) {
            try identify(head, for: CommitRoutes.setting)
            guard !head.has(.contentEncoding) || BodyDecoding.isDone(on: self) else { return }
            try CommitRoutes.setNode(node, self, head, server)
        } catch {
            if error.code == .forbidden { record = .begin(setting: node, head, at: server, always: true) }
            refuse(error)
        }
    }

    /// The error of a request whose body has not been sent yet.
    func refusalBeforeBody() -> Refusal? {
        if case .refused(let refusal) = admit(parser.head, server, listener) { refusal } else { nil }
    }

    /// Answers a request for WebSocket.
    ///
    /// - Returns: the new connection; nil if it was refused.
    func respondToUpgrade() -> WebSocketConnection? {
        let head = parser.head
        framing.keepsAlive = false
        take(.nobody)
        do throws(HostError) {
            switch admit(head, server, listener) {
            case .refused(let refusal):
                if refusal.code == RefusedConnection.refusal.code, refuseUpgrade(head) { return nil }
                refuse(refusal)
            case .file, .options: refuse(.notFound)
            case .route(let route, let captures):
                guard listener.originCheck.accepts(head, forwarding) else {
                    refuse(.badOrigin)
                    return nil
                }
                let operation = server.operations[Int(route.rawValue)]
                record = .begin(operation, captures, head, at: server)
                let request = Request(connection: self, captures: captures, head: head, need: operation.need)
                return try SocketRoutes.upgrade(request, to: operation.upgrade)
            }
        } catch {
            refuse(error)
        }
        return nil
    }
}
