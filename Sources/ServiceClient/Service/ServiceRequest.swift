internal import EventLoop
internal import HTTP
public import Outbound
internal import Support
internal import Values

/// One request to a server, waited for, as the commands `get` and `set` need it.
public enum ServiceRequest {
    /// Reads `path`, path and query, which are escaped already.
    public static func get(
        _ path: String,
        from service: ServiceURL,
        limit: Duration = .seconds(10),
        mostBytes: Int = 16 << 20
    ) throws -> HTTPClient.Answer {
        try send(.get, path, to: service, body: nil, fields: [], limit: limit, mostBytes: mostBytes)
    }

    /// The same for an answer whose body must be JSON, if there is one.
    public static func getJSON(_ path: String, from service: ServiceURL) throws -> HTTPClient.Answer {
        try requireJSON(try get(path, from: service))
    }

    /// - Throws: ``ClientFailure`` if the body is not JSON: then something other than a Sluice
    ///   server has answered.
    private static func requireJSON(_ answer: HTTPClient.Answer) throws -> HTTPClient.Answer {
        let isJSON = answer.body.withBorrowedBytes { (try? JSONReader(checking: $0)) != nil }
        guard answer.status == 204 || isJSON else { throw ClientFailure.notUnderstood("it is not JSON") }
        return answer
    }

    /// Puts a JSON body to `path`; the answer's body must be JSON as well.
    public static func put(
        _ body: [UInt8],
        to path: String,
        at service: ServiceURL,
        fields: [(name: StaticString, value: String)] = []
    ) throws -> HTTPClient.Answer {
        try requireJSON(try send(.put, path, to: service, body: body, fields: fields))
    }

    /// Posts a JSON text to `path`; the answer is JSON.
    public static func post(
        _ body: [UInt8],
        to path: String,
        at service: ServiceURL,
        fields: [(name: StaticString, value: String)] = []
    ) throws -> HTTPClient.Answer {
        try requireJSON(try send(.post, path, to: service, body: body, fields: fields))
    }

    /// Posts to `path`, without a body.
    public static func post(
        to path: String,
        at service: ServiceURL,
        fields: [(name: StaticString, value: String)] = []
    ) throws -> HTTPClient.Answer {
        try send(.post, path, to: service, body: nil, fields: fields)
    }

    /// Deletes what is at `path`.
    public static func delete(_ path: String, at service: ServiceURL) throws {
        _ = try send(.delete, path, to: service, body: nil, fields: [])
    }

    /// Reads the body of an answer, which must be JSON.
    ///
    /// - Throws: ``ClientFailure`` if it is not: then something other than a Sluice server has
    ///   answered.
    static func read<Result>(_ answer: HTTPClient.Answer, _ make: (JSONReader) -> Result) throws -> Result {
        try answer.body.withBorrowedBytes { body in
            do throws(JSONError) {
                return make(try JSONReader(checking: body))
            } catch {
                throw ClientFailure.refused(status: answer.status, body: answer.body)
            }
        }
    }

    public static func escaped(_ text: String) -> String {
        var buffer = ByteBuffer()
        Array(text.utf8).withBorrowedBytes { PercentEncoding.encode($0, to: &buffer) }
        return buffer.text
    }

    /// Runs a loop until the answer arrives; throws for any status except success.
    private static func send(
        _ method: HTTP.Method,
        _ path: String,
        to service: ServiceURL,
        body: [UInt8]?,
        fields: [(name: StaticString, value: String)],
        limit: Duration = .seconds(10),
        mostBytes: Int = 16 << 20
    ) throws -> HTTPClient.Answer {
        let loop = try Loop()
        let client = HTTPClient(service, on: loop, limit: limit, mostBytes: mostBytes)
        var outcome: Result<HTTPClient.Answer, ClientFailure> = .failure(.lost)
        client.send(method, path, body: body, fields: fields) {
            outcome = $0
            loop.stop()
        }
        loop.run()
        let answer = try outcome.get()
        guard answer.isSuccess else { throw ClientFailure.refused(status: answer.status, body: answer.body) }
        return answer
    }
}
