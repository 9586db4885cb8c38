internal import Definitions
internal import HTTP

/// What the connections of a server read and write HTTP and WebSocket with.
final class Codec {
    let limits: HTTP.Limits
    /// Bytes of further requests that wait for the answer to one.
    let pendingBytes: Int
    let proxies: TrustedProxies
    let cors: CORS
    let parsers: ParserPool
    let assemblers: AssemblerPool
    let compression: CompressionPool
    let sharedFrame = SharedFrame()
    let setAnswer = SetAnswer()
    private(set) var encoder = ResponseEncoder()

    init(_ configuration: Configuration, _ limits: HTTP.Limits) {
        self.limits = limits
        pendingBytes = configuration.fixed.session.pendingBytes
        proxies = TrustedProxies(configuration.trustedProxies, reading: configuration.proxyHeaders)
        cors = CORS(configuration.cors)
        parsers = ParserPool(limits: limits)
        assemblers = AssemblerPool(limitBytes: configuration.message)
        compression = CompressionPool(configuration)
    }

    /// The date of answers has changed.
    func setDate(unixSeconds: Int64) {
        encoder.date = HTTPDate(unixSeconds: unixSeconds)
        setAnswer.forget()
    }
}
