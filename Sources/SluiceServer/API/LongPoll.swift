internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// A read that waits until the node's state differs from the client's (`Prefer: wait`, RFC 7240),
/// or until the upstream of a source node has answered (`load`, S-1).
///
/// It is an ordinary listener with a session of its own, which ends in the turn in which the node
/// changes, the time is over, or the client disconnects.
final class LongPoll: MessageTransport, HeldRequest {
    /// The latest time of the answer, on the loop's clock.
    let deadline: UInt64
    private unowned let connection: HTTPConnection
    private let number: UInt64
    private let graph: LiveGraph
    /// The name of the node, not its entry: the next member of that name may have another one.
    private let nodeName: String
    private let known: [UInt8]
    private let hasFacets: Bool
    /// Whether it waits for an upstream, not for any change.
    private let loads: Bool
    private var session: Session?
    private var isOpen = false

    /// Starts listening; the request with that number is answered when something has happened.
    private init(
        _ connection: HTTPConnection,
        request number: UInt64,
        graph: LiveGraph,
        name: String,
        known: BorrowedBytes,
        facets hasFacets: Bool,
        loads: Bool = false,
        deadline: UInt64
    ) throws(HostError) {
        self.connection = connection
        self.number = number
        self.graph = graph
        nodeName = name
        self.known = Array(known)
        self.hasFacets = hasFacets
        self.loads = loads
        self.deadline = deadline
        let stream = try EventStream(
            of: GraphView(graph, for: connection.access),
            nodes: [name],
            StreamOptions(hasFacets: loads)
        )
        let session = Session(
            of: connection.hub.clients,
            transport: self,
            kind: .poll,
            access: connection.access,
            form: .events
        )
        self.session = session
        session.start(stream)
        isOpen = true
    }

    /// Makes the current request of a connection wait until the upstreams of `node` have answered,
    /// at most `times.load`.
    static func begin(
        on connection: HTTPConnection,
        loading node: NamedNode,
        facets hasFacets: Bool
    )
        throws(HostError)
    {
        let hub = connection.hub
        let poll = try LongPoll(
            connection,
            request: connection.waitAsAsked(),
            graph: node.graph,
            name: node.name,
            known: BorrowedBytes(),
            facets: hasFacets,
            loads: true,
            deadline: hub.loop.now + hub.host.limits.loadMilliseconds
        )
        connection.held = .change(poll)
    }

    /// Makes the current request of a connection wait for a change of `node`.
    static func begin(
        on connection: HTTPConnection,
        for node: NamedNode,
        knowing known: BorrowedBytes,
        seconds: Int,
        facets hasFacets: Bool
    ) {
        let hub = connection.hub
        let longest = Int(hub.times.fixed.wait / 1000)
        do throws(HostError) {
            let poll = try LongPoll(
                connection,
                request: connection.waitAsAsked(),
                graph: node.graph,
                name: node.name,
                known: known,
                facets: hasFacets,
                deadline: hub.loop.now + UInt64(min(seconds, max(1, longest))) * 1000
            )
            connection.held = .change(poll)
        } catch {
            preconditionFailure("one node can be listened to")
        }
    }

    var name: String? { session.map { "c:\($0.number)" } }

    /// Answers with the present state: the node has changed, the time is over, or the server stops.
    ///
    /// A node that the caller may no longer read is not found, as for a new request.
    func finish() {
        guard let session else { return }
        self.session = nil
        // A graph whose epoch was lost continues as another object.
        let node = connection.hub.host[graph.name]?.node(nodeName)
        // Read while the chain is alive, because the answer may lead to the next request.
        let reading = node.map { $0.graph.read($0) }
        let refusal = node.flatMap { Self.refusal(of: $0, to: session.access) }
        session.close()
        connection.held = nil
        connection.answerLater(number) { connection throws(HostError) in
            if let refusal { throw refusal }
            guard let node, let reading else { throw HostError(.unknownNode, "the node was removed") }
            let isUnchanged = known.withBorrowedBytes { known in
                (try? Preconditions.isKnown(known, reading, of: node)) == true
            }
            if isUnchanged {
                NodeAnswer.sendUnchanged(reading, of: node, on: connection)
            } else {
                NodeAnswer.send(reading, of: node, facets: hasFacets, on: connection)
            }
        }
    }

    private static func refusal(of node: NamedNode, to access: Access?) -> HostError? {
        guard let access else { return nil }
        do throws(HostError) {
            try GraphView(node.graph, for: access).require(.read, on: node)
            return nil
        } catch {
            return error
        }
    }

    /// The client has disconnected.
    func cancel() {
        let session = session
        self.session = nil
        session?.close(.reset)
    }

    // MARK: - MessageTransport

    var unsentBytes: Int { 0 }

    func send(_ message: Outgoing) {
        // The first message is the snapshot that the client has already.
        guard isOpen else { return }
        if loads, graph.node(nodeName)?.awaitsSource(countingFailures: false) == true { return }
        finish()
    }

    func close(code: UInt16, reason: String) {
        guard code == CloseCode.unauthenticated.rawValue else { return finish() }
        session = nil
        connection.held = nil
        connection.answerLater(number) { _ throws(HostError) in
            throw reason == "token_expired"
                ? .tokenExpired : HostError(.unauthenticated, "this token is not known any more")
        }
    }

    func pauseReading(_ paused: Bool) {}
}
