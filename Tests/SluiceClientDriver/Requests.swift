import SluiceClient

/// A request that no test should make.
struct Misuse: Error {
    let command: JSONObject

    init(_ command: JSONObject) {
        self.command = command
    }
}

extension SluiceClient {
    /// Makes a request, and returns what the driver answers.
    func answer(_ command: JSONObject) async throws -> JSONValue {
        let graph = command.graph
        switch command["do"] {
        case "set":
            let options = command.setOptions
            return try await
                (command["target"] == nil
                ? set(graph, command["values"]?.object ?? [:], options: options)
                : target(command).set(command["value"] ?? .null, options: options)).json
        case "update":
            let options = command.setOptions
            return try await
                (command["target"] == nil
                ? update(graph, command.words("expressions"), options: options)
                : target(command).update(command["expression"]?.string ?? "", options: options)).json
        case "wipe": return try await wipe(graph, matching: command["match"]?.string ?? "*").json
        case "get":
            let after = command.cursor("after")
            guard command["target"] == nil else {
                return try await target(command).get(after: after) ?? .null
            }
            return try await get(graph, command.names("nodes"), after: after).json
        case "list":
            return .array(try await list(changes: command["changes"]?.bool ?? false).map { .object($0.json) })
        case "load": return try await target(command).load(command.loadReport).json
        case "presence":
            let node = target(command)
            let applied =
                if let value = command["value"] { try await node.hold(value) } else { try await node.letGo() }
            return applied?.json ?? .null
        case "auth":
            let lifetime = try await authenticate(command["token"]?.string ?? "")
            return lifetime.map { ["expires": .number($0 / .seconds(1))] } ?? [:]
        case "ping": return await ping().map { .number($0 / .milliseconds(1)) } ?? .null
        default: throw Misuse(command)
        }
    }

    private func target(_ command: JSONObject) -> RemoteNode<JSONValue> {
        node(command["target"]?.string ?? "")
    }

    /// A single value to listen to: a node, its pipeline, or what the server makes of several
    /// nodes.
    func single(_ command: JSONObject) -> Computation<JSONValue> {
        if command["target"] == nil {
            return compute(command.graph, command.filter { ["combine", "map", "pipe"].contains($0.key) })
        }
        let node = target(command)
        if let stages = command["pipe"]?.array { return node.pipe(stages) }
        return compute(node.graph, ["node": .string(node.name)])
    }
}

extension JSONObject {
    var graph: String {
        self["graph"]?.string ?? String((self["target"]?.string ?? "").prefix { $0 != "/" })
    }

    /// The names and globs, if the command is about several nodes.
    var nodes: [String]? {
        if self["nodes"] != nil { return names("nodes") }
        guard let target = self["target"]?.string, target.contains(where: { "*,".contains($0) }) else {
            return nil
        }
        return target.drop { $0 != "/" }.dropFirst().split(separator: ",").map(String.init)
    }

    var owners: [String] { names("owner") }

    func names(_ key: String) -> [String] {
        self[key]?.array?.compactMap(\.string) ?? self[key]?.string.map { [$0] } ?? []
    }

    func words(_ key: String) -> [String: String] {
        self[key]?.object?.compactMapValues(\.string) ?? [:]
    }

    func cursor(_ key: String) -> Cursor? {
        guard let epoch = self[key]?["epoch"]?.string, let rev = self[key]?["rev"]?.int else { return nil }
        return Cursor(epoch: epoch, rev: rev)
    }

    var listenOptions: ListenOptions {
        var options = ListenOptions()
        if let mode = self["mode"]?.string { options.mode = ListenOptions.Mode(rawValue: mode) ?? .latest }
        options.every = self["every"]?.int.map { .milliseconds($0) }
        options.queue = self["queue"]?.int
        options.history = self["history"]?.int
        options.facets = self["facets"]?.bool ?? false
        options.path = self["path"]?.bool ?? false
        options.load = self["load"]?.bool ?? false
        options.owners = owners
        if let keep = self["keep"] { options.further["keep"] = keep }
        return options
    }

    var setOptions: SetOptions {
        var options = SetOptions()
        options.clear = names("clear")
        options.with = words("with")
        options.path = names("path")
        options.context = self["ctx"]
        options.presence = self["presence"]?.bool ?? false
        options.byHand = self["hand"]?.bool ?? false
        if let expression = self["if"]?.string { options.if = .expression(expression) }
        if let conditions = self["if"]?.object { options.if = .nodes(conditions.conditions) }
        return options
    }

    private var conditions: [String: Condition] {
        let epoch = self["epoch"]?.string ?? ""
        return filter { $0.key != "epoch" }.mapValues { condition in
            if let value = condition["v"] { return .value(value) }
            guard let rev = condition["rev"]?.int else { return .empty }
            return .unchanged(since: Cursor(epoch: epoch, rev: rev))
        }
    }

    var loadReport: LoadReport {
        if let error = self["error"] {
            return .error(code: error["code"]?.string ?? "", message: error["msg"]?.string ?? "")
        }
        if self["stale"] == true { return .invalidate }
        return self["loading"] == false ? .cancelled : .loading(progress: self["progress"]?.double)
    }
}
