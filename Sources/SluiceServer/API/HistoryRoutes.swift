internal import Graphs
internal import Sessions
internal import HTTP
internal import Values

enum HistoryRoutes {
    /// `GET …/nodes/{n}/history?since=rev&limit=&facets=1`: from the node's ring; what that does
    /// not have, from the rings of the nodes that it is made from, or from the log; 410 where none
    /// has it.
    ///
    /// Only the log has facets. With `begin`, `end` or `points` the history by time answers.
    static func readHistory(_ request: Request) throws(HostError) {
        let (connection, looks) = (request.connection, request.service.looks)
        let node = try request.node()
        if try readSteps(of: node, request) { return }
        let rev = try request.number("since", 0...Int.max).map(UInt64.init)
        let limit = try request.number("limit", 1...100_000) ?? 1000
        let epoch = request.query.string("epoch")
        if try request.query.isSet("facets") {
            return try readStored(
                node,
                since: rev ?? 0,
                epoch,
                limit: limit,
                facets: true,
                looks,
                on: connection
            )
        }
        do throws(HostError) {
            let samples = KeptSamples(of: node, since: rev, epoch: epoch, limit: limit, for: request.access)
            if let samples {
                return try PastQuery.answer(looks.work(on: samples), by: looks, on: connection)
            }
            connection.answerJSON(
                try HistoryAnswer(in: node.graph).json(of: node, since: rev, epoch: epoch, limit: limit)
            )
        } catch {
            guard let rev, rev <= node.graph.rev, looks.hasLog else { throw error }
            try readStored(node, since: rev, epoch, limit: limit, looks, on: connection)
        }
    }

    /// Answers `?begin=&end=&points=`; false: the query has none of them.
    private static func readSteps(of node: NamedNode, _ request: Request) throws(HostError) -> Bool {
        let query = request.query
        guard ["begin", "end", "points"].contains(where: { query.raw($0) != nil }) else { return false }
        for other in ["since", "epoch", "facets"] as [StaticString] where query.raw(other) != nil {
            let message = "\(other) asks for single emissions, and begin, end and points for steps of time"
            throw HostError(.badField, message)
        }
        let points = try request.number("points", 1...2_000) ?? 500
        let (begin, end) = (try request.moment("begin"), try request.moment("end"))
        let steps = try KeptSteps(of: node, from: begin, to: end, points: points)
        let looks = request.service.looks
        try PastQuery.answer(looks.work(on: steps), by: looks, on: request.connection)
        return true
    }

    /// Emissions that left the ring, or never were in one, may be in the log.
    private static func readStored(
        _ node: NamedNode,
        since rev: UInt64,
        _ epoch: String?,
        limit: Int,
        facets: Bool = false,
        _ looks: PastLooks,
        on connection: HTTPConnection
    ) throws(HostError) {
        let view = try GraphView(node.graph, for: connection.access)
        let subject = PastQuestion.Subject.history(of: node.name, limit: limit, facets: facets)
        try PastQuery.answer(PastQuestion(subject, at: rev, of: epoch, in: view), by: looks, on: connection)
    }
}
