internal import GraphHost
internal import HTTP

/// The result of checking a request before performing it.
enum Admission {
    case route(Route, Captures)
    /// A POST that sets this node.
    case set(NamedNode)
    case file
    case options(allow: String)
    case refused(Refusal)
}

// Checking, routing and dispatching requests.
extension HTTPConnection {
    /// Checks that the request is for this server and that its page may send it, and finds its
    /// route.
    @inline(__always)
    private func admit(_ head: RequestHead, _ server: Server, _ door: Door) -> Admission {
        let method = head.method
        guard door.hostCheck.accepts(head.authority) else { return .refused(Self.misdirected(head)) }
        if isProxied, let refusal = hear(head) { return .refused(refusal) }
        guard method.isSafe || server.originCheck.accepts(head, forwarding) else {
            return .refused(Self.badOrigin)
        }
        if method == .post, head.query.isEmpty, let node = door.addresses.node(at: head.path, in: server.host)
        {
            return .set(node)
        }
        switch door.router.match(method, head.path) {
        case .found(let route, let captures):
            guard head.query.isEmpty || Query(head.query).isReadable else { return .refused(Self.badQuery) }
            return .route(route, captures)
        case .options(let allow): return .options(allow: allow)
        case .methodNotAllowed(let allow):
            let hint = elsewhere(method, head) ?? "this method is not allowed here"
            return .refused(Refusal(.methodNotAllowed, hint, allow: allow))
        case .notFound:
            if let hint = elsewhere(method, head) { return .refused(Refusal(.notFound, hint)) }
            guard door.side != .operations else { return .refused(Self.notFound) }
            if method == .get || method == .head { return .file }
            if let (files, path) = server.folder(of: head.path), files.open(path) != nil {
                if method == .options { return .options(allow: "GET, HEAD, OPTIONS") }
                return .refused(
                    Refusal(.methodNotAllowed, "files are read-only", allow: "GET, HEAD, OPTIONS")
                )
            }
            return .refused(Self.notFound)
        }
    }

    /// The hint for a path that the other listener serves.
    private func elsewhere(_ method: Method, _ head: RequestHead) -> String? {
        guard let admin = server.adminDoor else { return nil }
        let other = door.side == .operations ? server.door : admin
        guard case .found = other.router.match(method, head.path) else { return nil }
        return door.side == .operations
            ? "this address serves only operations; see 'listen' in the server's configuration"
            : "this is served at another address; see 'admin.listen' in the server's configuration"
    }

    static var notFound: Refusal { Refusal(.notFound, "there is nothing under this path") }

    private static var noSocket: Refusal { Refusal(.badRequest, "this path does not support WebSocket") }

    private static var badQuery: Refusal {
        Refusal(.badRequest, "invalid percent-encoding or UTF-8 in the query string: write % as %25")
    }

    private static var badOrigin: Refusal {
        Refusal(
            .badOrigin,
            "pages of that origin may not do this; see 'origins' in the server's configuration"
        )
    }

    static func misdirected(_ head: RequestHead) -> Refusal {
        if head.authority.isEmpty { return Refusal(.badRequest, "Host is missing") }
        return Refusal(
            .misdirected,
            "this server does not answer to that name; see 'hosts' in its configuration"
        )
    }

    /// The error of a request whose body has not been sent yet.
    func refusalBeforeBody() -> Refusal? {
        if case .refused(let problem) = admit(parser.head, server, door) { problem } else { nil }
    }

    /// Whether the caller may send a body above the usual size: a definition, if it may define that
    /// graph.
    ///
    /// If not, that has been answered.
    func hasRoom() -> Bool {
        let head = parser.head
        switch admit(head, server, door) {
        case .route(let route, let captures) where Operation.all[Int(route.rawValue)].takesDefinition:
            guard let access = identify(head, for: Operation.all[Int(route.rawValue)].right) else {
                return false
            }
            self.access = access
            return mayAdminister(String(decoding: captures[0], as: UTF8.self))
        case .refused(let problem): refuse(problem)
        case .route, .set, .file, .options:
            let announced = head.value(.contentLength).flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
            refuse(tooLarge(BodyExcess(bytes: announced, limit: parser.limits.bodyBytes, isOther: false)))
        }
        return false
    }

    /// The answer for a failure of the parser.
    func refusal(_ failure: ParseFailure) -> Refusal {
        failure.excess.map(tooLarge) ?? Refusal(failure)
    }

    /// The answer for a body that is too large, with its size, the limit and the limit's key.
    private func tooLarge(_ excess: BodyExcess) -> Refusal {
        let size = excess.bytes.map { "the body has \($0) bytes" } ?? "the chunked body has more"
        let key = excess.isOther ? "limits.definition" : "limits.body"
        return Refusal(.tooLarge, "\(size); at most \(excess.limit) are allowed (\(key))")
    }

    /// Answers the current request, now or later.
    ///
    /// `server` is a parameter because reading it from the connection costs a reference count each
    /// time.
    func respond(_ server: Server) {
        let head = parser.head
        let admission = Unmanaged.passUnretained(door)._withUnsafeGuaranteedRef { admit(head, server, $0) }
        switch admission {
        case .route(let route, let captures):
            let number = Int(route.rawValue)
            guard let access = identify(head, for: server.operations[number].right) else { return }
            self.access = access
            server.operations[number].handler(self, captures, head)
        case .set(let node):
            guard let access = identify(head, for: .ofNodes) else { return }
            self.access = access
            setNode(node, head)
        case .file: serveFile(head)
        case .options(let allow): answerOptions(head, allow: allow)
        case .refused(let problem): refuse(problem)
        }
    }

    // MARK: - Upgrades

    func requireUpgrade() {
        server.count(.upgradeRequired)
        write { Handshake.requireUpgrade(server.encoder, framing, to: &$0) }
    }

    /// Answers a request for WebSocket.
    ///
    /// - Returns: the new connection; nil if it was refused.
    func respondToUpgrade() -> WebSocketConnection? {
        let head = parser.head
        framing.keepsAlive = false
        switch admit(head, server, door) {
        case .refused(let problem):
            if problem.code == RefusedConnection.problem.code, refuseUpgrade(head) { return nil }
            refuse(problem)
        case .set: refuse(Self.noSocket)
        case .file, .options: refuse(Self.notFound)
        case .route(let route, let captures):
            guard server.originCheck.accepts(head, forwarding) else {
                refuse(Self.badOrigin)
                return nil
            }
            return accept(Operation.all[Int(route.rawValue)], captures, head)
        }
        return nil
    }

    private func accept(
        _ operation: Operation,
        _ captures: Captures,
        _ head: RequestHead
    ) -> WebSocketConnection? {
        switch operation.upgrade {
        case .messages:
            guard let access = sessionAccess(head) else { return nil }
            return accept(head, .messages, access, subprotocols: ["sluice.v1.json"])
        case .echo:
            return accept(head, .echo, SessionAccess(nil), subprotocols: [])
        case .node:
            guard let access = identify(head, for: operation.right) else { return nil }
            self.access = access
            guard let node = findNode(captures, to: .read) else { return nil }
            guard Query(head.query).raw("at") == nil else {
                refuse(Refusal("bad_field", "at: the past does not change, so there is no stream of it"))
                return nil
            }
            guard let options = streamOptions(Query(head.query)) else { return nil }
            return accept(head, .node(node), SessionAccess(access), options, subprotocols: [])
        default:
            refuse(Self.noSocket)
            return nil
        }
    }

    private func accept(
        _ head: RequestHead,
        _ kind: WebSocketConnection.Kind,
        _ access: SessionAccess,
        _ options: StreamOptions = StreamOptions(),
        subprotocols: [StaticString]
    ) -> WebSocketConnection? {
        let outcome = Handshake.judge(
            head,
            subprotocols: subprotocols,
            compression: server.configuration.compression,
            keepsContexts: server.hasRoomForContexts
        )
        switch outcome {
        case .upgradeRequired:
            requireUpgrade()
            return nil
        case .refused(let sentence):
            refuse(Refusal(.badRequest, sentence))
            return nil
        case .accepted(let subprotocol, let deflate):
            guard !server.isDraining else {
                refuse(Refusal(.draining, "the server is about to stop", retryAfterSeconds: 5))
                return nil
            }
            server.count(.switchingProtocols)
            write { out in
                Handshake.accept(
                    head,
                    subprotocol: subprotocol,
                    deflate: deflate,
                    server.encoder,
                    sha1: SHA1.digest,
                    to: &out
                )
            }
            let connection = WebSocketConnection(
                upgrading: self,
                to: kind,
                compression: deflate.flatMap { server.compression($0) }
            )
            connection.open(for: access, options)
            return connection
        }
    }

    /// `?every=250&mode=all&facets=1&load=1&pipe=…`; nil if something is invalid, which has been
    /// answered then.
    func streamOptions(_ query: Query) -> StreamOptions? {
        var options = StreamOptions()
        if query.raw("every") != nil {
            guard let every = query.integer("every"), (0...86_400_000).contains(every) else {
                refuse(Refusal("bad_field", "every: milliseconds from 0 to 86400000"))
                return nil
            }
            options.every = UInt64(every)
        }
        if let mode = query.string("mode") {
            guard mode == "latest" || mode == "all" else {
                refuse(Refusal("bad_field", "mode: latest or all"))
                return nil
            }
            options.isAll = mode == "all"
        }
        options.hasFacets = query.flag("facets")
        options.loads = query.flag("load")
        if query.raw("pipe") != nil {
            guard let pipe = query.string("pipe") else {
                refuse(Refusal("bad_field", "pipe: a list of stages, percent-encoded"))
                return nil
            }
            options.pipe = Array(pipe.utf8)
        }
        return options
    }
}
