#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the server says about a value besides the value.
public struct Meta: Sendable {
    /// The time of the commit.
    public internal(set) var time: Date?
    /// The number of the commit; compare it within one ``epoch`` only.
    public internal(set) var rev: Int?
    /// The history of the graph.
    ///
    /// It changes when the server starts again without one.
    public internal(set) var epoch: String?
    /// The revision of the node's own last change, if it differs from ``rev``.
    public internal(set) var changedRev: Int?
    /// How many values are folded into this one; above 1 some were left out.
    public internal(set) var folded = 1
    /// The principal that has made the commit.
    public internal(set) var by: String?
    /// The context of the commit, as its client gave it.
    public internal(set) var context: JSONValue?
    /// Whether the value comes from the node's history (``ListenOptions/history``).
    public internal(set) var isHistory = false
    /// Whether the node holds nothing.
    public internal(set) var isEmpty = false
    /// Why there is no value: the operator failed, or the value does not have the requested type
    /// (`type_mismatch`).
    public internal(set) var failure: Failure?
    /// The subscription has ended or was refused.
    public internal(set) var ended: SluiceError?
    /// With ``ListenOptions/facets``: the state besides the value.
    public internal(set) var facets: Facets?
    /// With ``ListenOptions/facets``: only the state has changed.
    public internal(set) var isSame = false
    /// With ``ListenOptions/path``: the nodes that the value has passed, oldest first.
    public internal(set) var path: [String]?
    /// With ``ListenOptions/path``: what has made the value, such as `set` or `link`.
    public internal(set) var origin: String?
    /// The first delivery after a reconnect: how long the connection was away.
    public internal(set) var gap: Duration?
    /// The server could not continue from the last revision: values before this one may be missing,
    /// or a pipeline has begun anew.
    public internal(set) var isLost = false
    /// How many revisions lie in between, so at most as many values are missing; only within one
    /// epoch.
    public internal(set) var lostRevs: Int?
    /// Of several nodes: those that have changed.
    public internal(set) var members: [String: Member]?
    /// Of several nodes: how many are left out because there are too many, if that has changed.
    public internal(set) var more: Int?

    init() {}

    /// The commit of this delivery.
    public var cursor: Cursor? {
        if let epoch, let rev { Cursor(epoch: epoch, rev: rev) } else { nil }
    }
}

/// Why a node has no value.
public struct Failure: Sendable, Hashable {
    /// For programs.
    public let code: String
    /// The stage that failed.
    public let at: String?
    /// For people; it never contains values.
    public let message: String

    init(code: String, at: String? = nil, message: String) {
        self.code = code
        self.at = at
        self.message = message
    }

    init?(_ json: JSONValue?) {
        guard let object = json?.object else { return nil }
        self.init(
            code: object["code"]?.string ?? "",
            at: object["at"]?.string,
            message: object["msg"]?.string ?? ""
        )
    }
}

/// What is known of a node besides its value.
public struct Facets: Sendable, Hashable {
    /// When the node was last set or confirmed.
    public let time: Date?
    /// Whether a load is under way.
    public let isLoading: Bool
    /// How much of the load is done, 0…1.
    public let progress: Double?
    /// Whether the value is out of date.
    public let isStale: Bool
    /// Why the last load has failed.
    public let error: Failure?
    /// As the protocol has it.
    public let json: JSONValue

    init?(_ json: JSONValue?) {
        guard let json, let object = json.object else { return nil }
        self.json = json
        time = object["t"].flatMap(Date.init)
        isLoading = object["loading"]?.bool ?? false
        progress = object["progress"]?.double
        isStale = object["stale"]?.bool ?? false
        error = Failure(object["error"])
    }
}

/// One of several nodes.
public struct Member: Sendable, Hashable {
    /// The value, if there is one.
    public let value: JSONValue?
    /// Why there is none.
    public internal(set) var failure: Failure?
    /// Whether the node no longer exists.
    public let isGone: Bool
    /// With ``ListenOptions/facets``: the state besides the value.
    public let facets: Facets?
    /// As the protocol has it, with its `path`, `by` and `origin`.
    public let json: JSONObject

    init(_ json: JSONObject) {
        self.json = json
        value = json["v"]
        failure = Failure(json["fail"])
        isGone = json["gone"]?.bool ?? false
        facets = Facets(json["state"])
    }

    /// Whether the node holds nothing.
    public var isEmpty: Bool { json["empty"]?.bool ?? false }
}

extension Date {
    /// A time of the protocol: milliseconds since 1970.
    init?(_ json: JSONValue) {
        guard let milliseconds = json.double else { return nil }
        self.init(timeIntervalSince1970: milliseconds / 1000)
    }
}
