internal import GraphHost
internal import HTTP

// What a node held before.
extension HTTPConnection {
    /// `GET …/nodes/{n}/history?since=rev&limit=`, 410 where `since` has been trimmed.
    func readHistory(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .read) else { return }
        let query = Query(head.query)
        guard let since = number("since", 0...Int.max, query), let limit = number("limit", 1...100_000, query)
        else { return }
        do throws(HostError) {
            let body = try node.graph.historyJSON(
                of: node,
                since: since.map(UInt64.init),
                epoch: query.string("epoch"),
                limit: limit ?? 1000
            )
            body.withUnsafeBytes { answer(.ok, "application/json", $0) }
        } catch {
            refuse(error)
        }
    }

    /// A number in the query; nil inside where it is not given, nil outside where it is wrong, which is answered.
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
