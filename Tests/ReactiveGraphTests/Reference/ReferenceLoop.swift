/// The loop of the reference model: runs later what is posted, then what is submitted, until
/// nothing is left.
final class ReferenceLoop {
    private var posts: [() -> Void] = []
    private var submitted: [() -> Void] = []

    func post(_ action: @escaping () -> Void) { posts.append(action) }
    func submit(_ action: @escaping () -> Void) { submitted.append(action) }

    func run() {
        while !posts.isEmpty || !submitted.isEmpty {
            while !posts.isEmpty { posts.removeFirst()() }
            let actions = submitted
            submitted = []
            for action in actions { action() }
        }
    }
}

// Delivering and listening later: G-63, G-73.
extension ReferenceWorld {
    /// Each value is posted by itself; what is on its way when an end goes is dropped at arrival.
    func deliver(_ edge: ReferenceEdge) -> (Journey) -> Void {
        edge.isAsynchronous = true
        return { [unowned self, unowned edge] journey in
            guard journey.emission != nil || edge.propagatesEmpty else { return }
            let later = graph.captured(journey)
            let connection = edge.connection
            graph.loop.post { [unowned self, weak edge] in
                guard let edge, edge.connection == connection, connection != 0 else { return }
                graph.resume(edge, later)
            }
        }
    }

    /// Posts the calls of a listen; whether it is still active is asked when one is about to run.
    func postCalls(of edge: ReferenceEdge) {
        let call = edge.receive
        edge.receive = { [unowned self, unowned edge] journey in
            guard journey.emission != nil else { return }
            graph.loop.post { [weak edge] in
                guard let edge, edge.connection != 0, edge.owner?.isDead == false else { return }
                call(journey)
            }
        }
    }
}
