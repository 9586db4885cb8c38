internal import Graphs
internal import ReactiveGraph

extension Clients {
    /// The links that clients have made between nodes with these numbers, for pictures.
    func links(of graph: LiveGraph, among known: Set<UInt64>) -> [Picture.Link] {
        var links: [Picture.Link] = []
        for session in sessions.all {
            for case let made as LinkSubscription in session.subscriptions where made.graph === graph {
                guard let to = made.link.to.living?.id, known.contains(to), known.contains(made.sourceID)
                else {
                    continue
                }
                var link = Picture.Link(
                    number: made.connectionNumber,
                    from: made.sourceID,
                    to: to,
                    isInner: false,
                    isFeedback: false,
                    queued: made.waiting
                )
                link.owners = made.ownerNames.map {
                    Picture.Owner(holder: .connection(session.number), name: $0)
                }
                links.append(link)
            }
        }
        return links
    }

    /// The graph has another definition: ends the links that a value would go round for ever.
    func endEndlessLinks(of graph: LiveGraph) {
        let rings = LinkRings(of: graph)
        for session in sessions.all {
            for case let link as LinkSubscription in session.subscriptions
            where link.graph === graph && !link.isEnded && rings.holds(link.link) {
                session.end(link, .cycle)
            }
        }
    }
}
