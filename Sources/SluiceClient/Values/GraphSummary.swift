/// A graph in the server's list.
public struct GraphSummary: Sendable, Hashable {
    /// Its name.
    public let graph: String
    /// Its title, for people.
    public let title: String?
    /// Its newest commit.
    public let cursor: Cursor
    /// How many nodes it has.
    public let nodes: Int
    /// How many listeners it has.
    public let listeners: Int
    /// The raised alarms, most urgent first, at most twenty.
    public let alarms: [Alarm]
    /// Names of nodes whose values are out of date, at most a hundred.
    public let stale: [String]
    /// As the protocol has it.
    public let json: JSONObject

    init?(_ json: JSONValue) {
        guard let object = json.object, let graph = object["graph"]?.string,
            let cursor = Cursor(object)
        else { return nil }
        self.graph = graph
        self.cursor = cursor
        self.json = object
        title = object["title"]?.string
        nodes = object["nodes"]?.int ?? 0
        listeners = object["listeners"]?.int ?? 0
        alarms = object["alarms"]?.array?.compactMap(Alarm.init) ?? []
        stale = object["stale"]?.array?.compactMap(\.string) ?? []
    }
}

/// A raised alarm.
public struct Alarm: Sendable, Hashable {
    /// The node.
    public let node: String
    /// `info`, `warning` or `alarm`.
    public let severity: String
    /// Its title, for people.
    public let title: String?
    /// The node's value.
    public let value: JSONValue?

    init?(_ json: JSONValue) {
        guard let node = json["node"]?.string, let severity = json["severity"]?.string else { return nil }
        self.node = node
        self.severity = severity
        title = json["title"]?.string
        value = json["v"]
    }
}
