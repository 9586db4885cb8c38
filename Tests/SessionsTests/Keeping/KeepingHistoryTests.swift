import TestSupport
import Testing
import Values

@testable import Graphs
@testable import Sessions

/// Whatever happens, a client that comes and goes with tickets knows what a client knows that
/// stays.
@Suite("Random histories of clients that reconnect")
struct KeepingHistoryTests {
    static var seeds: Range<UInt64> { Nightly.isOn ? 0..<5_000 : 0..<80 }

    @Test(
        "K-1, K-2: after a reconnect within its time a client knows what one knows that stayed; nothing is left over"
    )
    func histories() throws {
        var resumed = (whole: 0, broken: 0)
        for seed in Self.seeds {
            var play = try KeepingPlay(seed)
            let complaints = try play.run()
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(4))")
            if !complaints.isEmpty { return }
            resumed.whole += play.whole
            resumed.broken += play.broken
        }
        #expect(resumed.whole > 100 && resumed.broken > 20, "\(resumed)")
    }
}

/// Pairs of clients with the same subscription, of which one stays and one comes and goes.
private struct KeepingPlay {
    private static let keep: UInt64 = 100

    private let bench = Bench()
    private let graph: LiveGraph
    private let start: GraphStatistics
    private var dice: SeededGenerator
    private var pairs: [Pair] = []
    private var complaints: [String] = []
    /// How often mode `all` got everything it missed, and how often it could not.
    private(set) var (whole, broken) = (0, 0)

    private static func definition(_ factor: Int) -> String {
        """
        {"graph":"g","nodes":{"x":{"set":"any","initial":1},"y":{"set":"any","initial":2},
          "s":{"combine":["x","y"],"map":"(value[0] + value[1]) * \(factor)"}}}
        """
    }

    private static let sources = [
        #""node":"x""#, #""node":"s""#, #""zip":["x","y"]"#, #""merge":["x","s"]"#,
        #""combine":["x","y"],"map":"value[0] - value[1]""#,
    ]

    private static let pipes = [
        nil, #"[{"window":{"count":3,"of":"list"}}]"#, #"[{"window":{"last":40,"of":"list"}}]"#,
        #"[{"scan":{"start":0,"with":"acc + 1"}}]"#, #"[{"skip":2}]"#, #"[{"take":5}]"#, #"[{"delay":7}]"#,
        #"[{"debounce":5}]"#,
        #"[{"sample":6}]"#, #"["distinct"]"#, #"[{"map":"string(value)"},{"skip":1},{"delay":3}]"#,
    ]

    init(_ seed: UInt64) throws {
        dice = SeededGenerator(seed: seed)
        graph = try bench.define(Self.definition(1))
        start = graph.statistics
    }

    mutating func run() throws -> [String] {
        for step in 0..<80 where complaints.isEmpty {
            try act()
            bench.endTurn()
            for place in pairs.indices { pairs[place].read() }
            complaints += pairs.compactMap(\.fault).map { "step \(step): \($0)" }
        }
        for pair in pairs { pair.close() }
        bench.leap(Self.keep)
        bench.leap(0)
        guard complaints.isEmpty else { return complaints }
        let (end, sessions) = (graph.statistics, bench.clients.sessions)
        let left = [
            "nodes": end.nodes - start.nodes, "edges": end.edges - start.edges, "listeners": end.listeners,
            "kept": end.keptChains, "tickets": sessions.kept.isEmpty ? 0 : 1, "sessions": sessions.all.count,
            "unreachable": graph.isWhole ? 0 : 1, "held": sessions.kept.nameless(in: bench.host).held,
        ]
        return left.filter { $0.value != 0 }.map { "left over: \($0.value) \($0.key)" }
    }

    private mutating func act() throws {
        switch dice.below(24) {
        case 0..<3 where pairs.count < 4: begin()
        case 3..<9: try bench.submit(graph, [(dice.chance(1, in: 2) ? "x" : "y", "\(dice.below(4))")])
        case 9: try bench.submit(graph, [], clear: ["y"])
        case 10: try bench.submit(graph, [("x", "\(dice.below(4))"), ("y", "\(dice.below(4))")])
        case 11..<15: bench.leap(UInt64(1 + dice.below(12)))
        case 15:
            _ = bench.host.redefine(graph, as: try bench.definition(Self.definition(1 + dice.below(3))))
        case 16..<20:
            guard let place = pairs.indices.randomElement(using: &dice), !pairs[place].isAway else { return }
            pairs[place].leave(&dice)
        default:
            guard let place = pairs.indices.randomElement(using: &dice), pairs[place].isAway else { return }
            if dice.chance(1, in: 8) { bench.leap(Self.keep) }
            resume(place)
        }
    }

    private mutating func begin() {
        let isAll = dice.chance(1, in: 2)
        let source = Self.sources[dice.below(Self.sources.count)]
        let pipe = Self.pipes[dice.below(Self.pipes.count)].map { #","pipe":\#($0)"# } ?? ""
        let queue = dice.chance(1, in: 3) ? 3 : 1_000
        let what = #""graph":"g",\#(source)\#(pipe),"mode":"\#(isAll ? "all" : "latest")","queue":"#
        var pair = Pair(
            staying: bench.connect(),
            roaming: Keeper(bench, "\(what)\(queue),\"keep\":\(Self.keep)"),
            isAll: isAll
        )
        pair.staying.send(#"{"op":"sub","id":1,\#(what)100000}"#)
        pair.begin()
        pairs.append(pair)
    }

    private mutating func resume(_ place: Int) {
        let now = bench.clock.now
        let isExpired = pairs[place].goneAt.map { now >= $0 + Self.keep } ?? false
        let isResumed = pairs[place].resume()
        if isExpired || pairs[place].roaming.ticket == nil {
            // Its chain began anew, so the two know different things from now on.
            pairs.remove(at: place).close()
        } else if pairs[place].isAll {
            if isResumed { whole += 1 } else { broken += 1 }
        } else if !isResumed {
            complaints.append("mode latest is not resumed: \(pairs[place].roaming.what)")
        }
    }
}

/// A client that stays and one that comes and goes.
private struct Pair {
    let staying: Client
    var roaming: Keeper
    let isAll: Bool
    var isAway = false
    /// When its connection ended; nil where the server does not know of that.
    var goneAt: UInt64?
    private var known = Known()
    private var model = Known()
    /// Connections that have broken, of which the server does not know.
    private var broken: [Client] = []

    init(staying: Client, roaming: Keeper, isAll: Bool) {
        (self.staying, self.roaming, self.isAll) = (staying, roaming, isAll)
    }

    /// What a client has been told.
    private struct Known {
        var values: [String] = []
        var rev = 0

        mutating func read(_ messages: [String], _ isAll: Bool) {
            for message in messages {
                guard let datum = try? Datum.parse(message) else { continue }
                datum.withBytes { bytes in
                    let message = JSONReader(validated: bytes)
                    rev = message["rev"]?.int ?? rev
                    switch message["op"]?.string {
                    case "snap":
                        let missed = message["d"].map { Array($0.elements) } ?? []
                        if message["resumed"]?.bool == false || message["resumed"] == nil { values = [] }
                        for entry in missed { tell(View.value(of: entry), isAll) }
                        let isHere = message["v"] != nil || message["empty"] != nil || message["fail"] != nil
                        if isHere { tell(View.value(of: message), isAll) }
                    case "upd":
                        for entry in message["d"].map({ Array($0.elements) }) ?? [] {
                            tell(View.value(of: entry), isAll)
                        }
                    default: break
                    }
                }
            }
        }

        private mutating func tell(_ value: String, _ isAll: Bool) {
            if isAll { values.append(value) } else { values = [value] }
        }
    }

    mutating func begin() {
        let snap = roaming.begin()
        known.read([snap], isAll)
        read()
    }

    /// Reads what has come; the one who is away reads nothing.
    mutating func read() {
        model.read(staying.take(), isAll)
        guard !isAway else { return }
        known.read(roaming.client.take(), isAll)
    }

    var fault: String? {
        guard !isAway, known.values != model.values else { return nil }
        return "\(known.values.suffix(5)) is known, not \(model.values.suffix(5)): \(roaming.what)"
    }

    /// The connection breaks, perhaps without the server's knowledge, and perhaps with the last
    /// messages on the way.
    mutating func leave(_ dice: inout SeededGenerator) {
        isAway = true
        roaming.rev = known.rev
        goneAt = dice.chance(1, in: 4) ? nil : roaming.bench.clock.now
        let isLost = dice.chance(1, in: 3)
        if goneAt != nil, !isLost { roaming.client.session.close(.reset) }
    }

    /// All of its connections end.
    func close() {
        for client in broken + [staying, roaming.client] { client.session.close() }
    }

    /// Comes back; returns whether the server says that nothing was missed.
    mutating func resume() -> Bool {
        if goneAt != nil { roaming.client.session.close(.reset) } else { broken.append(roaming.client) }
        roaming.client = roaming.bench.connect()
        let snap = roaming.resume(1)
        isAway = false
        let isResumed = snap.contains(#""resumed":true"#)
        roaming.bench.endTurn()
        model.read(staying.take(), isAll)
        known.read([snap], isAll)
        // What was missed is missed for good.
        if !isResumed, isAll { known.values = model.values }
        return isResumed
    }
}
