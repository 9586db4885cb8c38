import Definitions
import Graphs
import Sessions
import Support
import Values

extension Target {
    /// Messages of the protocol, one per line, on a small graph: each is answered, nothing traps,
    /// and when the client is gone nothing is left of it.
    static let message = Target(name: "message") { bytes in
        let clock = ManualHostClock()
        let host = Host(store: .memory(epoch: "e"), clock: clock)
        let clients = Clients(of: host)
        guard case .refused = host.define(definition) else {
            let graph = host["g"]
            let before = graph?.statistics
            let sink = Sink()
            let session = Session(of: clients, transport: sink)
            sink.session = session
            for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true).prefix(32)
            {
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: line.count, alignment: 1)
                defer { copy.deallocate() }
                copy.copyBytes(from: line)
                session.receive(message: BorrowedBytes(UnsafeRawBufferPointer(copy)))
                host.flush()
                clock.advance(by: 10)
                host.advance()
                if session.isClosed { break }
            }
            session.close()
            host.flush()
            let after = graph?.statistics
            require(after?.listeners == before?.listeners, "listeners are left")
            require(after?.subscriptions == before?.subscriptions, "subscriptions are left")
            require(after?.nodes == before?.nodes, "nodes are left")
            return
        }
        fatalError("the graph is wrong")
    }

    nonisolated(unsafe) private static let definition: GraphDefinition = {
        let text = """
            {"graph":"g","nodes":{"x":{"set":"number","initial":1},"any":{"set":"any"},
            "double":{"from":"x","pipe":[{"map":"value * 2"}]},"sum":{"combine":{"a":"x","b":"double"},"map":"a + b"},
            "kept":{"from":"x","pipe":[{"scan":{"start":0,"with":"acc + value"}}],"retain":"always"}}}
            """
        guard let document = try? Document.parse(json: text),
            let definition = GraphDefinition.read(document, file: nil).definition
        else {
            fatalError(
                "the graph is wrong: \(String(describing: try? GraphDefinition.read(Document.parse(json: text), file: nil).problems))"
            )
        }
        return definition
    }()

    private final class Sink: MessageTransport {
        weak var session: Session?
        var unsentBytes = 0

        func send(_ message: Outgoing) {
            message.withBytes {
                require((try? JSONScanner.validate($0)) != nil, "what is sent is no JSON: \($0.text)")
            }
        }

        func close(code: UInt16, reason: String) { session?.close() }

        func pauseReading(_ paused: Bool) {}
    }
}
