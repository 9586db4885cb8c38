/// A subscription, link, demand or observer.
///
/// It stays when the connection breaks.
final class Subscription {
    /// What makes two subscriptions equal.
    enum Key: Hashable {
        /// Equal requests share one subscription.
        case shared(JSONObject)
        /// One that is never shared: its listener keeps account of what has changed.
        case own(Int)
    }

    /// Losses and gaps that no delivery has reported yet.
    struct Cut {
        var gap: Duration?
        var isLost = false
        var lostRevs: Int?
    }

    var key: Key
    var fields: JSONObject
    var listeners: [Buffer] = []
    /// The id of its message, where the connection has it.
    var id: Int64?
    /// Up to where the listeners know everything, as the server wants it back.
    var cursor: JSONObject?
    /// The last delivery, with what earlier ones have said about the state besides the value.
    var last: JSONObject?
    var meta: Meta?
    var cut: Cut?
    /// The code with which the server has ended it.
    var ended: String?
    /// Of several nodes: those that exist, with their last delivery if that has facets.
    var members: [String: JSONObject] = [:]
    /// Whether the next message names all nodes that are wanted.
    var isNew = false
    /// Whether the server was asked to end it.
    var isLeaving = false
    /// Ends it, or asks for it again, after a pause.
    var timer: Task<Void, Never>?

    init(key: Key, fields: JSONObject) {
        self.key = key
        self.fields = fields
    }

    var isAll: Bool { fields["mode"] == "all" }

    /// Whether it is more than nodes as they are.
    var isPipeline: Bool {
        guard fields["op"] == "sub", fields["nodes"] == nil else { return false }
        return fields["node"] == nil || fields["pipe"] != nil
    }

    var owners: [String] {
        fields["owner"]?.array?.compactMap(\.string) ?? []
    }

    /// The message that asks for it.
    ///
    /// `every` is the least time between two values, unless the subscription has its own.
    func request(every: Duration?) -> JSONObject {
        var message = fields
        if let every, fields["op"] == "sub", fields["every"] == nil {
            message["every"] = .integer(every.milliseconds)
        }
        // A window, for example, outlives the connection; the server knows what has a memory.
        if isPipeline, fields["keep"] == nil { message["keep"] = "auto" }
        if fields["keep"] == .null { message["keep"] = nil }
        if let cursor {
            message["since"] = .object(cursor)
            message["history"] = nil
        }
        return message
    }
}
