/// What a client knows, and what it does with each message.
///
/// Only ``ClientLoop`` calls it.
final class ClientCore {
    /// What waits for messages with an id.
    enum Waiting {
        case request(Request)
        case subscription(Subscription)
    }

    let settings: ClientSettings
    let loop: ClientLoop
    var token: TokenSource

    // The connection.

    /// The present one, also while it is being opened.
    var runner: Task<Void, Never>?
    var connection: (any TransportConnection)?
    /// Which connection it is: what former ones still report is ignored.
    var attempt = 0
    /// The server has answered `hello`.
    var isReady = false
    /// A connection that is lost is made anew.
    var isWanted = false
    /// When it became ready or was lost; `nil` if it never was ready.
    var since: Duration?
    var backoff = Backoff()
    /// The heartbeat of a connection, or the pause before the next one.
    var timer: Task<Void, Never>?
    /// Shows the next token before the present one ends.
    var renewal: Task<Void, Never>?
    /// Seconds until a silent connection counts as lost.
    var ticksLeft = 0
    /// How often the server says something, in seconds.
    var heartbeat = 25
    /// The longest message that the server takes, in bytes.
    var longestMessage = 65_536
    var state = ConnectionState()

    // Requests and subscriptions.

    var lastID: Int64 = 0
    var waiting: [Int64: Waiting] = [:]
    /// Reads that came before the first connection.
    var reads: [Request] = []
    var subscriptions: [Subscription.Key: Subscription] = [:]
    /// Which subscription a listener has.
    var homes: [ObjectIdentifier: Subscription] = [:]
    /// What `hold` has set: the server forgets it when a connection ends.
    var claims: [String: Claim] = [:]
    let listeners = EventListeners()
    /// Numbers the keys of subscriptions that are not shared.
    var lastKey = 0

    init(_ settings: ClientSettings, loop: ClientLoop) {
        self.settings = settings
        self.loop = loop
        token = settings.token
    }

    /// Adds a listener, who gets the present state at once.
    func listen(_ listener: AsyncStream<ClientEvent>.Continuation) {
        let number = listeners.add(listener)
        listener.onTermination = { [loop] _ in loop.send { $0.listeners.remove(number) } }
        listener.yield(.state(state))
    }

    func emit(_ event: ClientEvent) {
        listeners.emit(event)
    }

    // What the server sends

    func received(_ text: String, on number: Int) {
        guard number == attempt, runner != nil else { return }
        do {
            let message = try JSONText.decode(text)
            // What follows may end the connection.
            for each in message.array ?? [message] where number == attempt && runner != nil {
                guard let object = each.object else {
                    throw SluiceError("malformed", "a message is no object")
                }
                receive(object)
            }
        } catch {
            emit(.problem(error))
            drop(ConnectionEnd(code: 4500, reason: "malformed"))
        }
        ticksLeft = 2 * heartbeat
    }

    private func receive(_ message: JSONObject) {
        let op = message["op"]?.string
        switch op {
        case "upd": return update(message)
        case "hello": return welcome(message)
        case "changes":
            return emit(.attention(message["graphs"]?.array?.compactMap(\.string) ?? []))
        default: break
        }
        let id = message["id"]?.int.map(Int64.init) ?? (op == "err" ? oldestRequest : nil)
        guard let id, let addressee = waiting[id] else {
            if op == "err", !isReady { refused(message) }
            return
        }
        switch addressee {
        case .request(let request): settle(id, request, message)
        case .subscription(let subscription): receive(message, op, for: subscription)
        }
    }

    private func receive(_ message: JSONObject, _ op: String?, for subscription: Subscription) {
        switch op {
        case "snap", "linked": begin(subscription, message)
        case "end", "err": end(subscription, message)
        case "topo", "topod": notify(subscription, .object(message), Meta())
        case "wanted": demanded(subscription, message)
        default: break
        }
    }

    /// An error without an id is that of the oldest request, because answers come in order.
    private var oldestRequest: Int64? {
        waiting.compactMap { id, each in if case .request = each { id } else { nil } }.min()
    }

    private func refused(_ message: JSONObject) {
        let code = message["code"]?.string ?? ""
        drop(ConnectionEnd(code: code.hasSuffix("_down") ? 4503 : 4401, reason: code))
    }
}
