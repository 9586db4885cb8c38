internal import Definitions
internal import Graphs
internal import Sessions
internal import SluiceServer
import Support
import Values

/// How long a loop is blocked when the definition of a large graph with many listeners changes in
/// one node.
///
/// The graph, its listeners and the change are in this process; nothing goes over a network. The
/// text is read as the server reads it, so the sum is the cost of reloading one file.
public struct ReloadBench {
    /// Nodes of the graph: every tenth is mutable, the others are made from an earlier one.
    public var nodes = 1_000
    /// Sessions with one subscription each, spread over the nodes.
    public var listeners = 10_000
    /// How often the definition is changed.
    public var rounds = 21

    /// The usual size.
    public init() {}

    /// The figures, in milliseconds.
    public struct Report {
        /// Reading the text: YAML to a checked definition with compiled expressions.
        public let read: Double
        /// Finding the difference and applying it: the median and the longest.
        public let apply: Double
        public let longest: Double
        /// Messages that one change made, and to how many listeners the changed node, and what is
        /// made from it, has.
        public let messages: Int
        public let concerned: Int

        /// For people.
        public var text: String {
            "read \(read.hundredths) ms, apply \(apply.hundredths) ms (longest \(longest.hundredths) ms), "
                + "\(messages) messages to \(concerned) listeners concerned"
        }

        /// One JSON object.
        public var json: String {
            "{\"read_ms\":\(read.hundredths),\"apply_ms\":\(apply.hundredths),\"longest_ms\":\(longest.hundredths),"
                + "\"messages\":\(messages),\"concerned\":\(concerned)}"
        }
    }

    /// Changes the definition to and fro.
    public func run() throws -> Report {
        let host = Host(store: .memory(epoch: "bench"), clock: ManualHostClock())
        let clients = Clients(of: host)
        let definitions = try [2, 3].map { try definition(factor: $0) }
        if case .refused(let error) = host.define(definitions[0]) { throw error }
        guard let graph = host["bench"] else {
            return Report(read: 0, apply: 0, longest: 0, messages: 0, concerned: 0)
        }
        let sink = CountingSink()
        var sessions: [Session] = []
        for number in 0..<listeners {
            let session = Session(of: clients, transport: sink)
            let message = Array(#"{"op":"sub","id":1,"graph":"bench","node":"n\#(number % nodes)"}"#.utf8)
            message.withBorrowedBytes { session.receive(message: $0) }
            sessions.append(session)
        }
        host.flush()
        var reading: [Double] = []
        var applying: [Double] = []
        var messages = 0
        let watch = ContinuousClock()
        for round in 0..<rounds {
            reading.append(
                try watch.measure { _ = try definition(factor: 2 + (round + 1) % 2) }.inMilliseconds
            )
            sink.count = 0
            let time = watch.measure {
                _ = graph.change(to: definitions[(round + 1) % 2])
                _ = host.redefine(graph, as: definitions[(round + 1) % 2])
                host.flush()
            }
            applying.append(time.inMilliseconds)
            messages = sink.count
        }
        for session in sessions { session.close() }
        reading.sort()
        applying.sort()
        return Report(
            read: reading[rounds / 2],
            apply: applying[rounds / 2],
            longest: applying[rounds - 1],
            messages: messages,
            concerned: listeners / nodes
        )
    }

    /// A graph in whose node `n1` values are multiplied.
    private func definition(factor: Int) throws -> GraphDefinition {
        let text = "graph: bench\n" + Self.nodes(nodes, factor: factor)
        let (document, problems) = YAMLReader.read(Array(text.utf8), file: nil)
        guard let document else { throw HostError(problems) }
        let result = GraphDefinition.read(document, file: nil)
        guard let definition = result.definition else { throw HostError(result.problems) }
        return definition
    }

    /// The section `nodes`: every tenth is set, the others are made from one before them, `n1` by
    /// multiplying with `factor`.
    static func nodes(_ count: Int, factor: Int) -> String {
        var text = "nodes:\n"
        for number in 0..<count {
            if number % 10 == 0 {
                text += "  n\(number): { set: number, initial: \(number + 5) }\n"
            } else if number == 1 {
                text += "  n1: { from: n0, pipe: [ { map: \"value * \(factor) + 1\" } ] }\n"
            } else {
                let from = number - number % 10
                text += "  n\(number): { from: n\(from), pipe: [ { map: \"value * 2 + \(number)\" } ] }\n"
            }
        }
        return text
    }
}

/// Takes messages and counts them.
private final class CountingSink: MessageTransport {
    var count = 0
    var unsentBytes: Int { 0 }

    func send(_ message: Outgoing) { count += 1 }
    func close(code: UInt16, reason: String) {}
    func pauseReading(_ paused: Bool) {}
}

extension Duration {
    var inMilliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}
