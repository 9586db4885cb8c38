import Definitions
import Graphs
import Sessions
import Support
import Values

/// A host with one graph, and clients without sockets.
final class Stand {
    let host: Host
    private let clients: Clients
    let graph: LiveGraph
    let clock = ManualHostClock(now: 1_000)
    private var data: [Datum] = []
    private var turn = 0

    /// The graph has the mutable nodes `n0` … `n15` and these derived ones.
    init(_ derived: String = "") throws {
        var limits = SessionLimits()
        limits.subscriptions = 1_000_000
        limits.work = .max
        limits.members = 2_000_000
        limits.membersPerPrincipal = 2_000_000
        host = Host(store: .memory(epoch: "e1"), clock: clock, limits: limits)
        clients = Clients(of: host)
        let nodes = (0..<16).map { #""n\#($0)":{"set":"number","initial":1}"# }.joined(separator: ",")
        let text = #"{"graph":"g","nodes":{\#(nodes)\#(derived.isEmpty ? "" : ",")\#(derived)}}"#
        let (definition, problems) = GraphDefinition.read(try Document.parse(json: text), file: nil)
        guard let definition, case .applied = host.define(definition), let graph = host["g"] else {
            fatalError("\(problems)")
        }
        self.graph = graph
        data = try (1...8).map { try Datum.parse("\($0)") }
    }

    func connect() -> Session { Session(of: clients, transport: Sink()) }

    /// Sets a node to the next of eight numbers, and ends the turn.
    func set(_ name: String = "n0") {
        var commit = Commit(graph: graph)
        commit.set.append(Assignment(graph.node(name)!, data[turn % data.count]))
        turn += 1
        guard case .applied = host.submit(commit) else { fatalError("a set was refused") }
        host.flush()
    }
}

/// Counts what a client gets.
final class Sink: MessageTransport {
    private(set) var bytes = 0
    var unsentBytes: Int { 0 }

    func send(_ message: Outgoing) { bytes += message.withBytes(\.count) }
    func close(code: UInt16, reason: String) {}
    func pauseReading(_ paused: Bool) {}
}

extension Session {
    /// The client says something.
    func hear(_ text: String) {
        text.withBorrowedBytes { receive(message: $0) }
    }
}
