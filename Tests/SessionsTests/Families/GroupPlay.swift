import Commits
import LogTestSupport
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

/// What a graph with grouped joins and a few clients go through, and what a plain recomputation
/// says of it.
struct GroupPlay {
    /// What the definition has besides what it always has.
    private struct Parts {
        var isImmediate = false
        /// `s.p.q.z`, declared in the place of a member.
        var hasNamed = false
        /// Whether the groups of `ab` are maxima, and not sums.
        var hasMaxima = false
        /// Whether there are the groups `x` and `bx`.
        var hasColumns = true
    }

    private static let (outer, middle, inner) = (["p", "r"], ["q", "t"], ["x", "y", "z"])

    private var random: SeededGenerator
    private let log: FaultyLog?
    private var bench: Bench
    private var graph: LiveGraph
    private var parts = Parts()
    private var values: [String: String] = [:]
    /// What each subscription has received last; of one to a glob, by name.
    private var clients: [(client: Client, target: String, seen: [String: String])] = []
    private(set) var steps: [String] = []
    private(set) var taken: [String: Int] = [:]

    init(_ seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        log = seed.isMultiple(of: 2) ? FaultyLog() : nil
        bench = Bench(log: log)
        parts.isImmediate = seed % 4 > 1
        graph = try bench.define(Self.definition(parts))
    }

    private static func definition(_ parts: Parts) -> String {
        var nodes = [
            #""s.{a}.{b}.{x}":{"set":"any","expire":"1s"}"#,
            #""d.{a}.{b}.{x}":{"from":"s.{a}.{b}.{x}","pipe":[{"map":"value * 2"}]}"#,
            #""ab.{a}.{b}":{"all":"s.{a}.{b}.{x}","reduce":"\#(parts.hasMaxima ? "max" : "sum")"}"#,
            #""a.{a}":{"all":"ab.{a}.{b}","reduce":"object"}"#,
            #""top.{a}":{"all":"s.{a}.{b}.{x}","reduce":{"top":2,"by":"value == 3 ? null : value"}}"#,
            #""high.{a}":{"all":"d.{a}.{b}.{x}","reduce":"max","map":"value + 1"}"#,
            #""total":{"all":"ab.*","reduce":"sum"}"#,
        ]
        if parts.hasColumns {
            nodes.append(#""x.{x}":{"all":"s.{a}.{b}.{x}","reduce":"list"}"#)
            nodes.append(#""bx.{b}.{x}":{"all":"s.{a}.{b}.{x}","reduce":"object"}"#)
        }
        if parts.hasNamed { nodes.append(#""s.p.q.z":{"set":"any"}"#) }
        let mode = parts.isImmediate ? "immediate" : "settled"
        return #"{"graph":"g","mode":"\#(mode)","nodes":{\#(nodes.joined(separator: ","))}}"#
    }

    // MARK: - What is right

    private static let members = outer.flatMap { a in
        middle.flatMap { b in inner.map { "s.\(a).\(b).\($0)" } }
    }

    private func isDeclared(_ name: String) -> Bool { parts.hasNamed && name == "s.p.q.z" }

    /// The names of the members that fit, in their order: of a family, with `*` for one placeholder
    /// each.
    private func present(_ pattern: String) -> [String] {
        let wanted = pattern.split(separator: ".")
        return Self.members.filter { name in
            let parts = name.split(separator: ".")
            return (values[name] != nil || isDeclared(name))
                && zip(parts, wanted).allSatisfy { $1 == "*" || $0 == $1 }
        }.sorted()
    }

    /// All groups, whether or not they have members.
    private var groups: [String] {
        let pairs = Self.outer.flatMap { a in Self.middle.map { "ab.\(a).\($0)" } }
        let columns =
            Self.inner.map { "x.\($0)" }
            + Self.middle.flatMap { b in Self.inner.map { "bx.\(b).\($0)" } }
        return pairs + Self.outer.flatMap { ["a.\($0)", "top.\($0)", "high.\($0)"] }
            + (parts.hasColumns ? columns : [])
    }

    /// What a group joins.
    private func joined(by group: String) -> [String] {
        let words = group.split(separator: ".").map(String.init)
        switch words[0] {
        case "ab": return present("s.\(words[1]).\(words[2]).*")
        case "x": return present("s.*.*.\(words[1])")
        case "bx": return present("s.*.\(words[1]).\(words[2])")
        default: return present("s.\(words[1]).*.*")
        }
    }

    /// What globs mean.
    private var visible: [String] {
        let members = present("s.*.*.*")
        let derived = members.map { "d" + $0.dropFirst() }
        let groups = groups.filter { !joined(by: $0).isEmpty }
        let declared = parts.hasNamed ? ["total", "s.p.q.z"] : ["total"]
        return declared + Set(members + derived + groups).subtracting(declared).sorted()
    }

    private func value(of name: String) -> String {
        let words = name.split(separator: ".").map(String.init)
        switch words[0] {
        case "s": return values[name] ?? "empty"
        case "d": return doubled(values["s" + name.dropFirst()])
        case "ab":
            let joined = joined(by: name)
            return figure(joined.compactMap { values[$0] }, isMaximum: parts.hasMaxima)
        case "a":
            let pairs = Self.middle.filter { !present("s.\(words[1]).\($0).*").isEmpty }
            let held = pairs.compactMap { b -> String? in
                let value = value(of: "ab.\(words[1]).\(b)")
                return value == "empty" ? nil : value == "fail" ? "fail" : #""\#(b)":\#(value)"#
            }
            return held.contains("fail") ? "fail" : "{\(held.joined(separator: ","))}"
        case "total":
            return figure(
                Set(present("s.*.*.*").map { "ab." + $0.split(separator: ".")[1...2].joined(separator: ".") })
                    .map { value(of: $0) }.filter { $0 != "empty" },
                isMaximum: false
            )
        case "top": return top(joined(by: name))
        case "high":
            let held = joined(by: name).compactMap { values[$0] }.map { doubled($0) }
            if held.contains("fail") { return "fail" }
            return held.compactMap { Int($0) }.max().map { "\($0 + 1)" } ?? "empty"
        case "x": return "[\(joined(by: name).compactMap { values[$0] }.joined(separator: ","))]"
        default:
            let held = joined(by: name).compactMap { name in
                values[name].map { #""\#(name.split(separator: ".")[1])":\#($0)"# }
            }
            return "{\(held.joined(separator: ","))}"
        }
    }

    private func doubled(_ value: String?) -> String {
        value.map { Int($0).map { "\($0 * 2)" } ?? "fail" } ?? "empty"
    }

    private func figure(_ values: [String], isMaximum: Bool) -> String {
        let numbers = values.compactMap { Int($0) }
        guard numbers.count == values.count else { return "fail" }
        guard isMaximum else { return "\(numbers.reduce(0, +))" }
        return numbers.max().map { "\($0)" } ?? "empty"
    }

    private func top(_ names: [String]) -> String {
        let held = names.compactMap { name in values[name].map { (name, $0) } }.filter { $0.1 != "3" }
        let ranked = held.compactMap { name, value in Int(value).map { (name, $0) } }
        guard ranked.count == held.count else { return "fail" }
        let best = ranked.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.prefix(2)
        return "[\(best.map { #"{"node":"\#($0)","value":\#($1)}"# }.joined(separator: ","))]"
    }

    /// What is wrong; nil: nothing.
    func fault() throws -> String? {
        guard graph.isWhole else { return "the graph is not whole" }
        let visible = visible
        let seen = graph.visibleNodes(matching: "*").map(\.name)
        guard seen == visible else { return "globs mean \(seen), not \(visible)" }
        for each in clients {
            let meant =
                each.target.hasSuffix("*")
                ? visible.filter { $0.hasPrefix(each.target.dropLast()) } : [each.target]
            let right = Dictionary(uniqueKeysWithValues: meant.map { ($0, value(of: $0)) })
            guard each.seen == right else {
                return "a listener to \(each.target) has \(each.seen), not \(right)"
            }
        }
        for name in groups + ["total"] {
            let value = try read(name)
            let right = self.value(of: name)
            guard value == right else { return "\(name) is \(value), not \(right)" }
        }
        bench.endTurn()
        return nil
    }

    private func read(_ name: String) throws -> String {
        let value = try bench.read(graph, name)
        return value.hasPrefix("fail") ? "fail" : value
    }

    // MARK: - What happens

    mutating func step() throws {
        let steps: [(String, Int, (inout GroupPlay) throws -> Void)] = [
            ("set", 10, { try $0.set() }), ("drop", 4, { try $0.drop() }), ("clear", 2, { try $0.clear() }),
            ("listen", 4, { $0.listen() }), ("leave", 2, { $0.leave() }), ("pass", 2, { $0.pass() }),
            ("redefine", 2, { try $0.redefine() }), ("restart", 1, { try $0.restart() }),
        ]
        var left = Int.random(in: 0..<steps.reduce(0) { $0 + $1.1 }, using: &random)
        for (name, weight, act) in steps {
            left -= weight
            guard left < 0 else { continue }
            self.steps.append(name)
            taken[name, default: 0] += 1
            try act(&self)
            bench.endTurn()
            bench.settle()
            return hear()
        }
    }

    private mutating func note(_ text: String) { steps[steps.count - 1] += " " + text }

    private mutating func set() throws {
        var new: [String: String] = [:]
        for _ in 0..<Int.random(in: 1..<5, using: &random) {
            let number = Int.random(in: 0..<72, using: &random)
            let value = number % 12 == 0 ? #""bad""# : "\(number / 12)"
            new[Self.members.randomElement(using: &random)!] = value
        }
        note("\(new)")
        try bench.set(graph, new.map { ($0, $1) })
        for (name, value) in new {
            values[name] = value
            if !isDeclared(name) { due[name] = bench.clock.wall + 1_000 }
        }
    }

    private var due: [String: UInt64] = [:]

    private mutating func drop() throws {
        let present = values.keys.filter { !isDeclared($0) }.sorted()
        guard let name = present.randomElement(using: &random) else { return }
        note(name)
        _ = bench.host.submit(Commit(dropping: try #require(graph.node(name))))
        forget(name)
    }

    private mutating func clear() throws {
        guard let name = values.keys.sorted().randomElement(using: &random) else { return }
        note(name)
        try bench.submit(graph, [], clear: [name])
        forget(name)
    }

    private mutating func forget(_ name: String) { (values[name], due[name]) = (nil, nil) }

    private mutating func pass() {
        let time = UInt64(Int.random(in: 100..<900, using: &random))
        note("\(time)")
        bench.clock.advance(by: time)
        expire()
    }

    /// Drops what has not been set for a second; groups do not keep what they join.
    private mutating func expire() {
        bench.host.advance()
        for (name, time) in due where time <= bench.clock.wall { forget(name) }
    }

    private mutating func listen() {
        let targets = groups + ["total", "ab.*", "a.*", "top.*", "bx.*", "high.*", "s.r.*"]
        let target = targets.randomElement(using: &random)!
        note(target)
        let client = bench.connect()
        let key = target.hasSuffix("*") ? #""nodes":["\#(target)"]"# : #""node":"\#(target)""#
        client.send(#"{"op":"sub","id":1,"graph":"g",\#(key)}"#)
        clients.append((client, target, [:]))
    }

    private mutating func leave() {
        guard !clients.isEmpty else { return }
        clients.remove(at: Int.random(in: 0..<clients.count, using: &random)).client.session.close()
    }

    private mutating func redefine() throws {
        let former = parts
        switch Int.random(in: 0..<4, using: &random) {
        case 0: parts.hasMaxima.toggle()
        case 1: parts.hasColumns.toggle()
        case 2: parts.isImmediate.toggle()
        default: parts.hasNamed.toggle()
        }
        note("\(parts)")
        if former.hasNamed, !parts.hasNamed, values["s.p.q.z"] != nil {
            due["s.p.q.z"] = namedAt + 1_000
        }
        if parts.hasNamed { due["s.p.q.z"] = nil }
        _ = bench.host.redefine(graph, as: try bench.definition(Self.definition(parts)))
        bench.endTurn()
        expire()
    }

    /// When the node that a definition may declare was set.
    private var namedAt: UInt64 {
        graph.existing("s.p.q.z")?.changed.time ?? 0
    }

    /// Another server goes on from the log, with or without a snapshot.
    private mutating func restart() throws {
        guard let log else { return }
        for each in clients { each.client.session.close() }
        clients = []
        if Int.random(in: 0..<2, using: &random) == 0 { log.storeSnapshot(of: "g") }
        let clock = ManualHostClock(now: bench.clock.now, wall: bench.clock.wall)
        let next = Bench(log: FaultyLog(after: log), clock: clock)
        let restored = try #require(try next.host.restore(graph: "g"))
        next.endTurn()
        let (own, others) = (try names(graph, bench), try names(restored, next))
        #expect(own == others, "after \(steps.suffix(12))")
        bench.successors.append(next)
    }

    private func names(_ graph: LiveGraph, _ bench: Bench) throws -> [String] {
        #expect(graph.isWhole)
        return try graph.visibleNodes(matching: "*").map { "\($0.name) \(try bench.read(graph, $0.name))" }
    }

    // MARK: - What clients receive

    private mutating func hear() {
        for index in clients.indices.reversed() {
            for message in clients[index].client.take() {
                guard let datum = try? Datum.parse(message) else { continue }
                datum.withBytes { bytes in
                    let message = JSONReader(validated: bytes)
                    switch message["op"]?.string {
                    case "snap": note(message, index)
                    case "upd":
                        for entry in message["d"].map({ Array($0.elements) }) ?? [] { note(entry, index) }
                    case "end", "err": clients[index].seen = ["ended": "ended"]
                    default: break
                    }
                }
            }
            // The family, or the node, is not in the definition any more.
            if clients[index].seen["ended"] != nil {
                clients.remove(at: index).client.session.close()
            }
        }
    }

    private mutating func note(_ entry: JSONReader, _ index: Int) {
        guard clients[index].target.hasSuffix("*") else {
            clients[index].seen = [clients[index].target: Self.text(entry)]
            return
        }
        for node in entry["m"].map({ Array($0.members) }) ?? [] {
            clients[index].seen[node.key.string] = node.value["gone"] == nil ? Self.text(node.value) : nil
        }
    }

    private static func text(_ entry: JSONReader) -> String {
        if entry["fail"] != nil { return "fail" }
        return entry["v"].map { Datum($0).text } ?? "empty"
    }

    mutating func end() throws -> String? {
        for each in clients { each.client.session.close() }
        clients = []
        bench.endTurn()
        return try fault()
    }
}
