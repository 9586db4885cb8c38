extension ClientCore {
    /// Before the first connection a read waits, because it can do no harm.
    ///
    /// A set does not.
    func read(_ request: Request) {
        if state.phase == .connecting { reads.append(request) } else { self.request(request) }
    }

    func sendReads() {
        let waiting = reads
        reads = []
        for request in waiting { self.request(request) }
    }

    func request(_ request: Request) {
        if let until = request.until, loop.time.now() > until {
            return request.answer(
                .failure(
                    SluiceError(
                        "key-expired",
                        "the server no longer knows the key of this set",
                        path: request.path
                    )
                )
            )
        }
        guard isReady else {
            return request.answer(
                .failure(
                    SluiceError(
                        "not-connected",
                        "there is no connection to the server",
                        path: request.path
                    )
                )
            )
        }
        do throws(SluiceError) {
            waiting[try send(request.fields, path: request.path)] = .request(request)
        } catch {
            request.answer(.failure(error))
        }
    }

    /// Sends a message with an id, which is the next one unless the message has its own.
    @discardableResult
    func send(_ message: JSONObject, path: String?) throws(SluiceError) -> Int64 {
        var message = message
        if message["id"] == nil {
            lastID += 1
            message["id"] = .integer(lastID)
        }
        let text: String
        do {
            text = try JSONText.encode(message)
        } catch {
            throw SluiceError("type_mismatch", "a number cannot be sent as JSON", path: path)
        }
        if text.utf8.count > longestMessage {
            throw SluiceError("too_large", "the message has more than \(longestMessage) bytes", path: path)
        }
        connection?.send(text)
        return lastID
    }

    func settle(_ id: Int64, _ request: Request, _ message: JSONObject) {
        waiting[id] = nil
        if message["op"] == "ok" { return request.answer(.success(message)) }
        var path = request.path
        if let node = message["node"]?.string, let graph = request.fields["graph"]?.string {
            path = "\(graph)/\(node)"
        }
        request.answer(.failure(SluiceError(message, path: path)))
    }

    /// Only the program knows whether a request whose outcome is unknown should still be made.
    func abandon(_ request: Request) {
        let again: @Sendable () async throws -> JSONObject = { [loop] in
            try await loop.request(request.fields, path: request.path, until: request.until)
        }
        request.answer(
            .failure(
                SluiceError(
                    "unknown-outcome",
                    "the connection was lost before the answer",
                    path: request.path,
                    key: request.fields["key"]?.string,
                    again: again
                )
            )
        )
    }

    /// Sets again what the client holds: the server has cleared it with the last connection.
    func claimAgain() {
        for (path, claim) in claims {
            request(
                Request(fields: claim.fields, path: path) { [loop] result in
                    if case .failure(let error) = result { loop.send { $0.complain(error) } }
                }
            )
        }
    }
}

/// A node that is set as long as the client is connected.
struct Claim: Sendable {
    var graph: String
    var node: String
    var value: JSONValue

    var fields: JSONObject {
        [
            "op": "set", "graph": .string(graph), "set": [node: value], "presence": true,
            "key": .string(randomKey()),
        ]
    }
}

/// A word that no other set has.
func randomKey() -> String {
    let words = (UInt64.random(in: 0...(.max)), UInt64.random(in: 0...(.max)))
    return String(words.0, radix: 36) + "-" + String(words.1, radix: 36)
}
