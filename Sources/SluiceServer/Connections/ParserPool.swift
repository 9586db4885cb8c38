internal import HTTP

/// Unused parsers.
///
/// A connection gives its parser back when it ends or becomes a WebSocket.
final class ParserPool {
    private let limits: HTTP.Limits
    private var free: ContiguousArray<RequestParser> = []

    /// A pool of parsers with these limits.
    init(limits: HTTP.Limits) {
        self.limits = limits
    }

    /// A parser that has seen nothing.
    func take() -> RequestParser {
        guard let parser = free.popLast() else { return RequestParser(limits: limits) }
        parser.reset()
        return parser
    }

    /// Takes back a parser whose connection reads no more requests.
    ///
    /// The connection may still look at the last request: it is only forgotten in ``take()``. A
    /// parser that holds a part of one is not kept.
    func give(_ parser: RequestParser) {
        if free.count < 16, parser.heldBytes == 0 { free.append(parser) }
    }
}
