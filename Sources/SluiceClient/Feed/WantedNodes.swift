internal import EventLoop
internal import GraphHost
internal import SluiceServer

/// What a feed sends that sends only what clients listen to.
struct Demand {
    /// The nodes that are wanted.
    let wanted: Set<String>
    /// Those that are to be sent at once.
    let fresh: Set<String>
}

/// Which nodes of a graph clients listen to (docs/protocol.md, Demand), for a feed that sends nothing else.
final class WantedNodes {
    /// Nodes that are wanted now and were not, or that the server asks for: they are to be sent at once.
    var onNews: () -> Void = {}
    /// What the person at the terminal should know; one line.
    var onNote: (String) -> Void = { _ in }
    /// The server will not go on; why, in one sentence.
    var onEnd: (String) -> Void = { _ in }
    private var names: Set<String> = []
    private var fresh: Set<String> = []
    private let request: StandingRequest
    private var isFirst = true

    /// Asks which nodes of `graph` that `glob` means are wanted, once ``start()`` is called.
    /// - Throws: when the system refuses a timer.
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

    /// Connects.
    func start() { request.start() }

    /// What is to be sent now; what is fresh is said once.
    func take() -> Demand {
        defer { fresh = [] }
        return Demand(wanted: names, fresh: fresh)
    }

    private func heard(_ message: JSONReader) {
        // The first answer of a connection names all that is wanted.
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
