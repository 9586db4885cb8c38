internal import EventLoop
internal import Outbound
internal import Values

/// The demand for a feed that sends only what clients listen to.
struct Demand {
    let wanted: Set<String>
    /// Nodes to send at once.
    let fresh: Set<String>
}

/// Tracks which nodes of a graph clients listen to (docs/protocol.md, Demand), for a feed that
/// sends nothing else.
final class WantedNodes {
    /// Called when nodes became wanted, or when the server asks for them: they must be sent at
    /// once.
    var onNews: () -> Void = {}
    /// Called with messages for the person at the terminal, one line each.
    var onNote: (String) -> Void = { _ in }
    /// Called when the server ends the request, with the reason as one sentence.
    var onEnd: (String) -> Void = { _ in }
    private var names: Set<String> = []
    private var fresh: Set<String> = []
    private let request: StandingRequest
    private var isFirst = true

    /// Asks for the demand of the nodes of `graph` that match `glob`, once ``start()`` is called.
    /// - Throws: if the system refuses a timer.
    init(_ glob: String, of graph: String, at service: ServiceURL, on loop: Loop) throws {
        let message = #"{"op":"demand","id":1,"graph":"\#(graph)","nodes":["\#(glob)"]}"#
        request = try StandingRequest(message, as: "sluice feed", at: service, on: loop)
        request.onMessage = { [weak self] op, message in if op == "wanted" { self?.heard(message) } }
        request.onNote = { [weak self] note in
            self?.isFirst = true
            self?.onNote(note)
        }
        request.onEnd = { [weak self] reason in self?.onEnd(reason ?? "ended") }
    }

    func start() { request.start() }

    /// The present demand; fresh nodes are reported once.
    func take() -> Demand {
        defer { fresh = [] }
        return Demand(wanted: names, fresh: fresh)
    }

    private func heard(_ message: JSONReader) {
        // The first answer of a connection names all wanted nodes.
        if isFirst { names = [] }
        isFirst = false
        for (name, entry) in message["m"]?.members.map({ ($0.key.string, $0.value) }) ?? [] {
            let isAsked = entry["load"]?.bool ?? false
            if entry["wanted"]?.bool == true {
                if names.insert(name).inserted || isAsked { fresh.insert(name) }
            } else {
                names.remove(name)
                if isAsked { fresh.insert(name) }
            }
        }
        if !fresh.isEmpty { onNews() }
    }
}
