/// How a program listens to a node.
///
/// The usual cases have names: `.latest`, `.all`, `.latest(every: .seconds(1))`,
/// `.all(history: 10)`.
public struct ListenOptions: Sendable, Hashable {
    /// Which values come.
    public enum Mode: String, Sendable {
        /// The newest value; older ones that were not read yet are folded into it.
        case latest
        /// Every value. The server and the client each keep a bounded number for a slow reader, and
        /// end the subscription with `slow` beyond it.
        case all
    }

    /// How long the server keeps a pipeline running when the connection breaks.
    public enum Keep: Sendable, Hashable {
        /// 30 seconds if its values depend on earlier ones, otherwise not at all.
        case automatic
        /// Not at all.
        case none
        /// So long, or a shorter time that the server allows.
        case time(Duration)
    }

    /// Which values come.
    public var mode = Mode.latest
    /// The least time between two values.
    public var every: Duration?
    /// In mode `all`: how many values the server keeps for a slow reader.
    public var queue: Int?
    /// How many of the newest values come first, if the node keeps a history.
    public var history: Int?
    /// How long a pipeline outlives the connection.
    public var keep = Keep.automatic
    /// Whether ``Meta/facets`` has the state besides the value.
    public var facets = false
    /// Whether ``Meta/path`` and ``Meta/origin`` say where the value has been.
    public var path = false
    /// Whether producers are asked for missing and stale values.
    public var load = false
    /// The named owners, up to eight; without one the connection owns the subscription.
    public var owners: [String] = []
    /// The first value includes this commit.
    public var after: Cursor?
    /// Further options of the protocol's `sub`.
    public var further: JSONObject = [:]

    /// The newest value at each change.
    public init() {}

    /// The newest value at each change.
    public static let latest = ListenOptions()
    /// Every value.
    public static let all = ListenOptions.all()

    /// The newest value, at most one in that time.
    public static func latest(every: Duration) -> ListenOptions {
        var options = ListenOptions()
        options.every = every
        return options
    }

    /// Every value.
    ///
    /// `history` is how many earlier values come first, if the node keeps them, and `queue` how
    /// many values the server keeps for a slow reader.
    public static func all(history: Int? = nil, queue: Int? = nil) -> ListenOptions {
        var options = ListenOptions()
        options.mode = .all
        options.history = history
        options.queue = queue
        return options
    }

    /// The fields of a `sub`.
    var fields: JSONObject {
        var fields = further
        if mode == .all { fields["mode"] = "all" }
        fields["every"] = every.map { .integer($0.milliseconds) }
        fields["queue"] = queue.map { .integer(Int64($0)) }
        fields["history"] = history.map { .integer(Int64($0)) }
        if facets { fields["facets"] = true }
        if path { fields["path"] = true }
        if load { fields["load"] = true }
        if !owners.isEmpty { fields["owner"] = .array(owners.map(JSONValue.string)) }
        fields["after"] = after?.json
        switch keep {
        case .automatic: break
        // The client leaves it out, and does not ask for `auto` either.
        case .none: fields["keep"] = .null
        case .time(let time): fields["keep"] = .integer(time.milliseconds)
        }
        return fields
    }
}

extension Duration {
    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
