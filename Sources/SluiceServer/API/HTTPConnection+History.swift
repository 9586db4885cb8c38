internal import GraphHost
internal import HTTP

// The history of nodes.
extension HTTPConnection {
    /// `GET …/nodes/{n}/history?since=rev&limit=&facets=1`: from the node's ring; what that does
    /// not have, from the rings of the nodes that it is made from, or from the log; 410 where none
    /// has it.
    ///
    /// Only the log has facets.
    func readHistory(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .read) else { return }
        let query = Query(head.query)
        guard let since = number("since", 0...Int.max, query), let limit = number("limit", 1...100_000, query)
        else { return }
        let (epoch, most) = (query.string("epoch"), limit ?? 1000)
        if query.flag("facets") {
            return readStoredHistory(of: node, since: UInt64(since ?? 0), epoch, limit: most, facets: true)
        }
        do throws(HostError) {
            let rev = since.map(UInt64.init)
            if let samples = KeptSamples(of: node, since: rev, epoch: epoch, limit: most) {
                return try ask(server.looks.work(on: samples))
            }
            let body = try node.graph.historyJSON(
                of: node,
                since: rev,
                epoch: epoch,
                limit: most
            )
            body.withUnsafeBytes { answer(.ok, "application/json", $0) }
        } catch {
            guard let since, since <= node.graph.rev, server.looks.hasLog else { return refuse(error) }
            readStoredHistory(of: node, since: UInt64(since), epoch, limit: most)
        }
    }

    /// Emissions that left the ring, or never were in one, may be in the log.
    private func readStoredHistory(
        of node: NamedNode,
        since rev: UInt64,
        _ epoch: String?,
        limit: Int,
        facets: Bool = false
    ) {
        do throws(HostError) {
            let view = try GraphView(node.graph, for: access)
            let subject = PastQuestion.Subject.history(of: node.name, limit: limit, facets: facets)
            try ask(PastQuestion(subject, at: rev, of: epoch, in: view))
        } catch {
            refuse(error)
        }
    }

    /// A number in the query.
    ///
    /// The inner nil means absent; the outer nil means invalid, which has been answered then.
    func number(_ name: StaticString, _ range: ClosedRange<Int>, _ query: Query) -> Int?? {
        guard query.raw(name) != nil else { return .some(nil) }
        if let number = query.integer(name), range.contains(number) { return number }
        refuse(
            Refusal(
                "bad_field",
                "\(name): a number from \(range.lowerBound) to \(range.upperBound) is needed"
            )
        )
        return nil
    }
}
