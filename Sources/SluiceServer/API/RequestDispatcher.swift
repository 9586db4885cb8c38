internal import Graphs
internal import HTTP
internal import Values

/// Checks the requests of one listener and passes each to its route.
final class RequestDispatcher: RequestHandler {
    let service: Service
    let side: HTTPListener.Side
    let router: Router
    /// What the other listener serves; nil if this one serves everything.
    let elsewhere: Router?
    private let fileAnswer: FileAnswer

    init(_ side: HTTPListener.Side, _ service: Service) {
        (self.side, self.service) = (side, service)
        let hasEcho = service.configuration.echo
        router = .api(hasEcho: hasEcho, for: side)
        elsewhere = side.other.map { .api(hasEcho: hasEcho, for: $0) }
        fileAnswer = FileAnswer(service.folders, service.configuration)
    }

    /// Checks the request and finds what answers it.
    @inline(__always)
    private func admit(_ head: RequestHead, on connection: HTTPConnection) -> Admission {
        let listener = connection.listener
        guard listener.hostCheck.accepts(head.authority) else { return .refused(.misdirected(head)) }
        if connection.isProxied, let refusal = connection.readForwarding(head) { return .refused(refusal) }
        return admit(head, connection.forwarding, at: listener)
    }

    func respond(on connection: HTTPConnection) {
        let head = connection.parser.head
        if let audit = connection.hub.audit, audit.hasRequests {
            connection.record = RequestRecord(nil, nil, head, in: audit)
        }
        switch admit(head, on: connection) {
        case .route(let route, let captures): perform(Int(route.rawValue), captures, head, on: connection)
        case .file:
            connection.take(.nobody)
            fileAnswer.send(head, on: connection)
        case .options(let allow):
            connection.take(.nobody)
            OptionsAnswer.send(head, allow: allow, on: connection)
        case .refused(let refusal):
            connection.take(.nobody)
            connection.refuse(refusal)
        }
    }

    /// Finds out who sends the current request; false: later, when the request is performed again.
    @inline(__always)
    private func identify(
        _ head: RequestHead,
        for need: Operation.Need,
        on connection: HTTPConnection
    ) throws(HostError) -> Bool {
        do throws(HostError) {
            guard let access = try Identification.access(of: head, on: connection, for: need) else {
                return false
            }
            connection.take(access)
            return true
        } catch {
            connection.take(.nobody)
            throw error
        }
    }

    private func perform(
        _ number: Int,
        _ captures: Captures,
        _ head: RequestHead,
        on connection: HTTPConnection
    ) {
        do throws(HostError) {
            // A row has many parts: taking it out of the list costs a reference count for each.
            let need = service.operations[number].need
            let audited = service.operations[number].audited
            if let audit = connection.hub.audit, audit.takes(audited) {
                connection.record = .begin(service.operations[number], captures, head, in: audit)
            }
            guard try identify(head, for: need, on: connection) else { return }
            try need.check(connection.access, captures)
            let request = request(head, captures, need, on: connection)
            if !head.query.isEmpty {
                try service.operations[number].checkParameters(request.query)
                if try CommitQuery.isPutOff(request, service.operations[number]) { return }
            }
            guard !head.has(.contentEncoding) || BodyDecoding.isDone(on: connection) else { return }
            try service.operations[number].handler(request)
            // What only looks may find out later that a right is lacking.
            guard connection.waitingFor != 0, audited == nil else { return }
            noteAttempt(service.operations[number], captures, head, on: connection)
        } catch {
            if error.code == .forbidden {
                noteAttempt(service.operations[number], captures, head, on: connection)
            }
            connection.refuse(error)
        }
    }

    /// Begins the record of a request that the audit has only if a right is lacking.
    private func noteAttempt(
        _ operation: Operation,
        _ captures: Captures,
        _ head: RequestHead,
        on connection: HTTPConnection
    ) {
        guard connection.record == nil, let audit = connection.hub.audit else { return }
        connection.record = .begin(operation, captures, head, in: audit)
    }

    private func request(
        _ head: RequestHead,
        _ captures: Captures,
        _ need: Operation.Need,
        on connection: HTTPConnection
    ) -> Request {
        Request(connection: connection, captures: captures, head: head, need: need, dispatcher: self)
    }

    func refusalBeforeBody(on connection: HTTPConnection) -> Refusal? {
        if case .refused(let refusal) = admit(connection.parser.head, on: connection) { refusal } else { nil }
    }

    func upgrade(_ connection: HTTPConnection) -> WebSocketConnection? {
        let head = connection.parser.head
        connection.framing.keepsAlive = false
        connection.take(.nobody)
        do throws(HostError) {
            switch admit(head, on: connection) {
            case .refused(let refusal):
                if refusal.code == RefusedConnection.refusal.code, connection.refuseUpgrade(head) {
                    return nil
                }
                connection.refuse(refusal)
            case .file, .options: connection.refuse(.notFound)
            case .route(let route, let captures):
                guard connection.listener.originCheck.accepts(head, connection.forwarding) else {
                    connection.refuse(.badOrigin)
                    return nil
                }
                let operation = service.operations[Int(route.rawValue)]
                noteAttempt(operation, captures, head, on: connection)
                let request = request(head, captures, operation.need, on: connection)
                return try SocketRoutes.upgrade(request, to: operation.upgrade)
            }
        } catch {
            connection.refuse(error)
        }
        return nil
    }

    func sender(on connection: HTTPConnection) -> SlowPeers.Owner {
        Identification.sender(of: connection.parser.head, on: connection)
    }
}
