internal import EventLoop
internal import HTTP
internal import SluiceServer

/// One request, waited for.
enum Ask {
    /// Sends the request and runs a loop until the answer is there.
    static func once(
        _ service: ServiceURL,
        _ method: HTTP.Method,
        _ target: String,
        body: [UInt8]? = nil,
        fields: [(name: StaticString, value: String)] = []
    ) throws -> HTTPClient.Answer {
        let loop = try Loop()
        let client = HTTPClient(service, on: loop)
        var outcome: Result<HTTPClient.Answer, ClientFailure> = .failure(.lost)
        client.send(method, target, body: body, fields: fields) {
            outcome = $0
            loop.stop()
        }
        loop.run()
        return try outcome.get()
    }

    /// The same, where anything but a success is a failure of the command.
    static func expecting(
        _ service: ServiceURL,
        _ method: HTTP.Method,
        _ target: String,
        body: [UInt8]? = nil,
        fields: [(name: StaticString, value: String)] = []
    ) throws -> HTTPClient.Answer {
        let answer: HTTPClient.Answer
        do {
            answer = try once(service, method, target, body: body, fields: fields)
        } catch {
            throw Terminal.failure("\(service): \(error)")
        }
        guard answer.isSuccess else {
            throw Terminal.failure(ProblemText.sentence(in: answer.body) ?? "status \(answer.status)")
        }
        return answer
    }
}
