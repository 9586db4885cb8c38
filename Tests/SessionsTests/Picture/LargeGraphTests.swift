import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

/// `count` pairs of a node that is set and one made from it, and a node made from the first ten.
private func pairs(_ count: Int) -> String {
    var nodes = (0..<count).flatMap { number in
        [
            #""s\#(number)":{"set":"number","initial":\#(number)}"#,
            #""d\#(number)":{"from":"s\#(number)","pipe":[{"map":"value + 1"}]}"#,
        ]
    }
    let inputs = (0..<10).map { "\"s\($0)\"" }.joined(separator: ",")
    nodes.append(#""sum":{"combine":[\#(inputs)]}"#)
    return #"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#
}

@Suite("Large graphs are looked at in part")
struct LargeGraphTests {
    private func prepared(_ count: Int) throws -> (Bench, LiveGraph, GraphView) {
        var limits = SessionLimits()
        limits.pictureNodes = 100
        let bench = Bench(limits: limits)
        let graph = try bench.define(pairs(count))
        return (bench, graph, try GraphView(graph, for: .full))
    }

    private func refusal(_ body: () throws(HostError) -> Void) -> HostError? {
        do throws(HostError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("limits.picture: a larger graph is refused as a whole, and a part of it is shown")
    func limit() throws {
        let (bench, _, view) = try prepared(200)
        for isLive in [false, true] {
            let error = refusal { () throws(HostError) in _ = try view.picture(.json, live: isLive) }
            #expect(error?.code == .tooLarge && error?.message.contains("401 nodes") == true)
            #expect(error?.hint?.contains("around") == true)
            let part = try view.picture(.json, live: isLive, around: Surroundings(of: "s150", depth: 1))
            let text = String(decoding: part, as: UTF8.self)
            #expect(text.contains(#""name":"d150""#) && !text.contains(#""name":"d149""#))
        }
        let client = bench.connect()
        #expect(client.ask(#"{"op":"observe","id":1,"graph":"g"}"#)[0].contains("too_large"))
        #expect(
            client.ask(#"{"op":"observe","id":2,"graph":"g","around":"s7","depth":1}"#)[0].contains("topo")
        )
        let (other, _, small) = try prepared(40)
        defer { withExtendedLifetime(other) {} }
        #expect(refusal { () throws(HostError) in _ = try small.picture(.dot, live: true) } == nil)
    }

    @Test("A change keeps the parts of the definition that are the same, and frees the others in parts")
    func redefined() throws {
        let (bench, graph, _) = try prepared(600)
        let before = graph.definition.nodes
        let changed = pairs(600).replacing("\"initial\":7}", with: "\"initial\":7,\"max\":900}")
        var definition = try bench.definition(changed)
        definition.compare(with: graph.definition.outline)
        weak let replaced = definition.nodes.first
        weak let last = definition.nodes.last
        let change = graph.change(to: definition)
        #expect(change.changed == ["s7"] && change.unchanged == 1_200)
        guard case .applied = bench.host.redefine(graph, as: definition) else {
            Issue.record("refused")
            return
        }
        let after = graph.definition.nodes
        #expect(zip(before, after).filter { $0 !== $1 }.map(\.1.name) == ["s7"])
        #expect(zip(graph.nodes, after).allSatisfy { $0.definition === $1 })
        definition = graph.definition
        #expect(last == nil && replaced != nil, "some of them")
        bench.settle()
        #expect(replaced == nil)
    }

    @Test("limits.picture: surroundings with too many nodes ask for a smaller depth")
    func hub() throws {
        var limits = SessionLimits()
        limits.pictureNodes = 100
        let bench = Bench(limits: limits)
        let nodes = (0..<200).map { #""d\#($0)":{"from":"x"}"# }.joined(separator: ",")
        let graph = try bench.define(#"{"graph":"g","nodes":{"x":{"set":"number"},\#(nodes)}}"#)
        let view = try GraphView(graph, for: .full)
        let error = refusal { () throws(HostError) in
            _ = try view.picture(.json, live: false, around: Surroundings(of: "x", depth: 1))
        }
        #expect(error?.code == .tooLarge && error?.hint == "ask for a smaller depth")
    }

    @Test("a page looks no further than it goes, and pages together are the whole list")
    func pages() throws {
        let (bench, graph, view) = try prepared(2000)
        let before = bench.host.work
        let page = String(decoding: view.page(matching: "*", after: nil, limit: 10), as: UTF8.self)
        #expect(bench.host.work - before < 50, "\(bench.host.work - before)")
        #expect(page.contains(#""next":"d1005""#), "\(page)")
        for glob in ["*", "s1*", "d*9", "sum", "t*"] {
            var found: [String] = []
            var after: String?
            repeat {
                let page = view.page(matching: glob, after: after, limit: 700)
                let document = try page.withBorrowedBytes { try Document.parse(json: $0) }
                found += (document["nodes"]?.elements ?? []).compactMap { $0["name"]?.scalar?.text }
                after = document["next"]?.scalar?.text
            } while after != nil
            let expected = graph.nodes.map(\.name).filter { NodeSelection.matches(glob, $0) }.sorted()
            #expect(found == expected, "\(glob)")
        }
    }

    @Test("I-1: looking only around a node shows what a picture of everything shows there")
    func sameAsWhole() throws {
        for seed in 1...30 {
            var random = Random(UInt64(seed))
            let bench = Bench()
            let graph = try bench.define(randomGraph(&random))
            let client = bench.connect()
            for (id, name) in graph.nodes.map(\.name).enumerated() where random.next() % 3 == 0 {
                let pipe = random.next() % 2 == 0 ? #","pipe":[{"map":"value"},"distinct"]"# : ""
                _ = client.ask(#"{"op":"sub","id":\#(id + 1),"graph":"g","node":"\#(name)"\#(pipe)}"#)
            }
            for isLive in [false, true] {
                let whole = Picture(of: graph, isLive: isLive)
                for node in graph.nodes.map(\.name) {
                    let near = Surroundings(of: node, depth: 1 + Int(random.next() % 4))
                    let part = Picture(of: graph, isLive: isLive, surroundings: near)
                    let places = near.places(in: whole)
                    let expected = whole.entries.indices.filter(places.contains).map { whole.entries[$0] }
                    #expect(part.entries.map(\.key) == expected.map(\.key), "\(seed) \(near)")
                    let numbers = Set(expected.compactMap(\.number))
                    let links = whole.links.filter { numbers.contains($0.from) && numbers.contains($0.to) }
                    #expect(Set(part.links.map(\.number)) == Set(links.map(\.number)), "\(seed) \(near)")
                }
            }
        }
    }

    private func randomGraph(_ random: inout Random) -> String {
        var nodes: [String] = []
        for number in 0..<12 {
            let one = number == 0 ? 0 : Int(random.next()) % number
            let other = number == 0 ? 0 : Int(random.next()) % number
            switch number < 3 ? 0 : random.next() % 5 {
            case 0: nodes.append(#""n\#(number)":{"set":"any","initial":1}"#)
            case 1: nodes.append(#""n\#(number)":{"from":"n\#(one)"}"#)
            case 2: nodes.append(#""n\#(number)":{"from":"n\#(one)","pipe":[{"map":"value"},"distinct"]}"#)
            case 3: nodes.append(#""n\#(number)":{"combine":{"a":"n\#(one)","b":"n\#(other)"}}"#)
            default: nodes.append(#""n\#(number)":{"merge":["n\#(one)"],"retain":"always"}"#)
            }
        }
        return #"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#
    }
}

extension Picture.Entry {
    fileprivate var key: String { "\(number ?? 0) \(named?.name ?? "") \(inputs)" }
}

/// A small generator of numbers (xorshift), the same for the same seed.
private struct Random {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt32 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt32(truncatingIfNeeded: state >> 32) & 0x7fff_ffff
    }
}
