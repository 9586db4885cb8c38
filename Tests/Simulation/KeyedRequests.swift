import TestSupport

/// Changes that clients have sent under a key, and may send again.
struct KeyedRequests {
    private var sent: [(by: String, request: SetRequest)] = []

    /// Gives a change the next key.
    mutating func add(_ request: SetRequest, by name: String) -> SetRequest {
        var request = request
        request.key = "k\(sent.count + 1)"
        sent.append((name, request))
        return request
    }

    /// One of a client's newest.
    func any(by name: String, _ dice: inout SeededGenerator) -> SetRequest? {
        let own = sent.filter { $0.by == name }
        return own.isEmpty ? nil : own[own.count - 1 - dice.below(min(4, own.count))].request
    }
}
