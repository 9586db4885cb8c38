internal import Support

/// The services of a simulated town: figures that wander, for the graph that ``graph`` defines.
struct Town {
    private var random: any RandomNumberGenerator
    /// Tenths of the units.
    private var figures = [115, 42, 57, 31, 210, 204, 181]
    private var gold = 2_400
    private var trades = 0

    private static let names = ["temp", "bern", "geneva", "zurich", "hall.door", "hall.window", "indoor_c"]

    /// A seeded generator makes the figures repeatable.
    init(random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.random = random
    }

    /// The body of the next batch.
    mutating func next() -> [UInt8] {
        for place in figures.indices {
            figures[place] = min(max(figures[place] + Int.random(in: -4...4, using: &random), 0), 300)
        }
        gold += Int.random(in: -5...5, using: &random)
        trades += 1
        var out = ByteBuffer()
        out.append("{\"set\":{\"weather\":{\"temp\":")
        out.append(utf8: Self.text(figures[0]))
        out.append("}")
        for (name, figure) in zip(Self.names, figures).dropFirst() {
            out.append(",")
            out.append(json: name)
            out.append(utf8: ":\(Self.text(figure))")
        }
        out.append(utf8: ",\"gold\":\(gold),\"trade\":{\"number\":\(trades),\"price\":\(gold),")
        out.append(utf8: "\"amount\":\(Int.random(in: 1...9, using: &random))}}}")
        return Array(out.bytes)
    }

    /// The definition of the graph, as JSON; `broker` is host and port.
    static func graph(broker: String) -> String {
        let set = ["weather", "bern", "geneva", "zurich", "gold", "trade", "hall.door", "hall.window"]
        let nodes = set.map { "\"\($0)\":{\"set\":\"any\"}" }.joined(separator: ",")
        return """
            {"title":"What is outside of the town",
             "upstreams":{"hall":{"mqtt":"mqtt://\(broker)"}},
             "nodes":{\(nodes),
              "indoor_c":{"set":"number","unit":"°C"},
              "indoor_f":{"from":"indoor_c","pipe":[{"map":"round(value * 9 / 5 + 32, 1)"}],"unit":"°F"}},
             "sinks":{"hall":{"from":"hall.*","topic":"hall:town/{node}"}}}
            """
    }

    private static func text(_ tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }
}
