import TestSupport
import Values

@testable import Graphs
@testable import Sessions
import Support

/// Producers at servers that share a Redis: in the end each must know what is wanted anywhere.
final class DemandPlay {
    private var producers: [Producer] = []
    private(set) var complaints: [String] = []

    /// Which nodes that are set each node is made from.
    private static let inputs = ["half": ["p", "q"], "even": Shape.accounts]

    /// A client that notes what is wanted.
    private final class Producer: MessageTransport {
        private(set) var session: Session?
        private(set) var wanted: Set<String> = []
        private(set) var host: ObjectIdentifier?
        let unsentBytes = 0

        var isConnected: Bool { session?.isClosed == false }

        func connect(to server: SharedServer, _ nodes: String) {
            session?.close()
            wanted = []
            host = ObjectIdentifier(server.host)
            session = Session(of: server.clients, transport: self)
            let message = #"{"op":"demand","id":1,"graph":"g","nodes":\#(nodes)}"#
            message.withBorrowedBytes { session?.receive(message: $0) }
        }

        func leave() { session?.close() }

        /// Its server is gone.
        func lose() { session = nil }

        func send(_ message: Outgoing) {
            let text = message.withBytes { String(decoding: $0, as: UTF8.self) }
            (try? Datum.parse(text))?.withBytes { bytes in
                let message = JSONReader(validated: bytes)
                // The graph may be missing where it is read again.
                guard message["op"]?.string == "wanted" else {
                    session?.close()
                    return
                }
                for member in (message["m"]?.members).map(Array.init) ?? [] {
                    let node = String(decoding: member.key.inside, as: UTF8.self)
                    let isWanted = member.value["wanted"]?.bool == true
                    if isWanted { wanted.insert(node) } else { wanted.remove(node) }
                }
            }
        }

        func close(code: UInt16, reason: String) { session?.close() }
        func pauseReading(_ paused: Bool) {}
    }

    /// A producer comes, goes, or changes to another server.
    func act(_ server: SharedServer, _ dice: inout SeededGenerator) {
        if producers.count < 3 { producers.append(Producer()) }
        let producer = producers[dice.below(producers.count)]
        if producer.isConnected, dice.chance(1, in: 2) {
            producer.leave()
        } else {
            producer.connect(to: server, dice.chance(1, in: 2) ? #"["*"]"# : #"["p","q","x","m?","l?"]"#)
        }
    }

    /// A server was killed.
    func lose(_ server: SharedServer) {
        for producer in producers where producer.host == ObjectIdentifier(server.host) { producer.lose() }
    }

    /// Those whose connection has ended come back.
    func comeBack(to servers: [SharedServer]) {
        for (number, producer) in producers.enumerated() where !producer.isConnected {
            producer.connect(to: servers[number % servers.count], #"["*"]"#)
        }
    }

    /// What each producer knows is what the clients of all servers listen to.
    func compare(_ servers: [SharedServer]) {
        let wanted = Set(servers.flatMap(Self.wanted))
        for (number, producer) in producers.enumerated() where producer.wanted != wanted {
            complaints.append("producer \(number) has \(producer.wanted.sorted()), not \(wanted.sorted())")
        }
    }

    /// The nodes that the sessions of a server listen to, or to what is made from them.
    private static func wanted(at server: SharedServer) -> [String] {
        guard let graph = server.host["g"] else { return [] }
        return server.clients.sessions.all.flatMap { session in
            session.subscriptions.flatMap { subscription in
                // What a link reads may be at the other end of a pipeline.
                (subscription as? LinkSubscription).map { [$0.link.from.name] }
                    ?? subscription.listenedNodes.compactMap { graph.name(of: $0)?.name }
            }
        }.flatMap { inputs[$0] ?? [$0] }
    }
}
