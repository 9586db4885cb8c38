import Testing

@testable import Graphs
@testable import Sessions

/// One subscription of a client that comes back with the ticket it was given.
struct Keeper {
    let bench: Bench
    var client: Client
    /// The message without its braces, `op` and `id`.
    let what: String
    var ticket: String?
    var epoch = "e1"
    /// The last rev that the client has seen.
    var rev = 0

    /// Connects and subscribes.
    init(_ bench: Bench, _ what: String, as access: Access? = .full) {
        self.bench = bench
        self.what = what
        client = bench.connect(access)
    }

    /// A pipeline on `x`.
    init(_ bench: Bench, pipe: String, _ more: String = #","keep":"30s""#, as access: Access? = .full) {
        self.init(bench, #""graph":"g","node":"x","pipe":\#(pipe)\#(more)"#, as: access)
    }

    /// Subscribes for the first time.
    @discardableResult
    mutating func begin(_ id: Int = 1) -> String {
        read(client.ask(#"{"op":"sub","id":\#(id),\#(what)}"#).first ?? "")
    }

    /// The connection ends, and another one is made.
    mutating func reconnect(as access: Access? = .full) {
        client.session.close(.reset)
        client = bench.connect(access)
    }

    /// Subscribes on the present connection as one that has been away.
    @discardableResult
    mutating func resume(_ id: Int = 2) -> String {
        let shown = ticket.map { #","ticket":"\#($0)""# } ?? ""
        let since = #""since":{"epoch":"\#(epoch)","rev":\#(rev)\#(shown)}"#
        return read(client.ask(#"{"op":"sub","id":\#(id),\#(what),\#(since)}"#).first ?? "")
    }

    private mutating func read(_ snap: String) -> String {
        ticket = Self.text("ticket", of: snap)
        if let rev = Self.number("rev", of: snap) { self.rev = rev }
        return snap
    }

    /// A field that is a string.
    static func text(_ field: String, of message: String) -> String? {
        message.split(separator: "\"\(field)\":\"", maxSplits: 1).dropFirst().first
            .flatMap { $0.split(separator: "\"").first }.map(String.init)
    }

    /// A field that is a number.
    static func number(_ field: String, of message: String) -> Int? {
        message.split(separator: "\"\(field)\":", maxSplits: 1).dropFirst().first
            .flatMap { Int($0.prefix { $0.isNumber }) }
    }
}

extension Bench {
    /// Lets so much time pass at once.
    func leap(_ milliseconds: UInt64) {
        clock.advance(by: milliseconds)
        host.advance()
        endTurn()
    }
}
