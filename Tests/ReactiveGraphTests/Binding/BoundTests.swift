import ReactiveGraph
import ReactiveGraphBinding
import TestSupport
import Testing

private class Chamber: Bindable {
    let bindings: Bindings
    @Bound var name: String
    @Bound(normalise: { new, _ in min(max(new, 0), 100) }) var brightness = 50
    @Bound(normalise: { new, old in new.isMultiple(of: 2) ? new : old }) var even = 0
    @Bound var note: String?
    @Bound var lamp: Lamp?
    var title: String { "\(name) at \(brightness)" }
    var plain = 0

    init(_ graph: Graph, name: String = "hall") {
        bindings = Bindings(graph: graph)
        self.name = name
    }
}

private final class House: Bindable {
    let bindings: Bindings
    @Bound var room: Chamber

    init(_ graph: Graph, _ room: Chamber) {
        bindings = Bindings(graph: graph)
        self.room = room
    }
}

/// A property with accessors of its own.
private final class Lamp: Bindable {
    let bindings: Bindings
    private var hidden = 0
    var writes = 0

    var power: Int {
        get {
            bindings.access(\Lamp.power)
            return hidden
        }
        set {
            writes += 1
            hidden = newValue
            bindings.changed(\Lamp.power)
        }
    }

    init(_ graph: Graph) {
        bindings = Bindings(graph: graph)
    }
}

@Suite("Nodes bound to properties (G-96)")
struct BoundTests {
    let graph = Graph()

    @Test("G-96: one node per object and path, the same one each time, starting with the property's value")
    func one() {
        let room = Chamber(graph)
        let node = room.node(\.name)
        #expect(node.value == "hall" && room.node(\.name) === node)
        #expect(room.node(\.brightness).value == 50 && Chamber(graph).node(\.name) !== node)
        let note = room.node(\.note)
        #expect(!note.isEmpty && note.value == .some(nil))
    }

    @Test("G-96: setting the property sets the node, once, equal values too")
    func propertyToNode() {
        let room = Chamber(graph)
        let heard = Recorder(room.node(\.name))
        room.name = "kitchen"
        room.name = "kitchen"
        #expect(heard.history == ["hall", "kitchen", "kitchen"])
    }

    @Test("G-96: setting the node, or what is upstream of it, sets the property, once; nothing echoes")
    func nodeToProperty() {
        let lamp = Lamp(graph)
        let node = lamp.node(\.power)
        let source = graph.mutable(of: Int.self)
        node.link(to: source.map { $0 * 10 })
        var seen: [Int] = []
        let heard = Recorder<Int>()
        node.listen(owner: heard) { recorder, value in
            seen.append(lamp.power)
            recorder.note(value)
        }
        node.set(1)
        source.set(2)
        #expect(heard.history == [0, 1, 20] && seen == [0, 1, 20])
        #expect(lamp.power == 20 && lamp.writes == 2)
    }

    @Test("G-96: of many objects that follow one object, the living ones are notified, each once")
    func manyFollowOneObject() {
        let room = Chamber(graph)
        var houses = (0..<1_000).map { _ in House(graph, room) }
        var told = 0
        let bag = CancellableBag()
        for house in houses {
            house.node(\.room.brightness).listen(in: bag, replay: false) { _ in told += 1 }
        }
        var left = houses.count
        while left > 10 {
            left /= 3
            houses.removeLast(houses.count - left)
            bag.cancel()
            told = 0
            for house in houses {
                house.node(\.room.brightness).listen(in: bag, replay: false) { _ in told += 1 }
            }
            room.brightness = left % 100
            #expect(told == left)
        }
    }

    @Test("G-96, G-39: after a turn that was stopped, values of the node reach the property again")
    func afterStoppedTurn() {
        let graph = Graph(feedbackLimit: 10)
        let lamp = Lamp(graph)
        let node = lamp.node(\.power)
        let bag = CancellableBag()
        node.listen(in: bag, replay: false) { _ in lamp.power += 1 }
        lamp.power = 1
        bag.cancel()
        node.set(500)
        #expect(node.value == 500 && lamp.power == 500)
    }

    @Test("G-96: the node takes what a setter makes of the value, after all received the original value")
    func normalised() {
        let room = Chamber(graph)
        let heard = Recorder(room.node(\.brightness))
        room.node(\.brightness).set(700)
        #expect(room.brightness == 100 && heard.history == [50, 700, 100])
        room.brightness = -5
        #expect(room.node(\.brightness).value == 0 && heard.history == [50, 700, 100, 0])
    }

    @Test("G-96: a setter that ignores a value loses no later update")
    func ignored() {
        let room = Chamber(graph)
        let node = room.node(\.even)
        let heard = Recorder(node)
        node.set(3)
        #expect(room.even == 0 && node.value == 0)
        node.set(4)
        room.even = 5
        room.even = 6
        node.set(8)
        #expect(room.even == 8 && heard.history == [0, 3, 0, 4, 4, 6, 8])
    }

    @Test("G-96: an assigned node wins if it has a value, else takes the property's; both stay in step")
    func assign() {
        let room = Chamber(graph)
        let full = graph.mutable("attic")
        let empty = graph.mutable(of: String.self)
        room.bind(\.name, to: full)
        #expect(room.name == "attic")
        room.bind(\.name, to: empty)
        #expect(empty.value == "attic")
        full.set("cellar")
        #expect(room.name == "cellar" && empty.value == "cellar")
        empty.set("porch")
        #expect(room.name == "porch" && full.value == "porch")
        room.name = "roof"
        #expect(full.value == "roof" && empty.value == "roof")
    }

    @Test("G-96: an assignment ends when it is cancelled; values stay")
    func cancel() {
        let room = Chamber(graph)
        let node = graph.mutable("attic")
        let link = room.bind(\.name, to: node)
        link.cancel()
        node.set("x")
        #expect(room.name == "attic")
        room.name = "y"
        #expect(node.value == "x")
    }

    @Test("G-96: an assigned node takes the normalised value as well")
    func assignNormalised() {
        let room = Chamber(graph)
        let node = graph.mutable(700)
        room.bind(\.brightness, to: node)
        #expect(room.brightness == 100 && node.value == 100)
        node.set(-1)
        #expect(room.brightness == 0 && node.value == 0)
    }

    @Test("G-96, G-152: a nested path follows replacement of the object between")
    func nested() {
        let first = Chamber(graph, name: "hall")
        let second = Chamber(graph, name: "kitchen")
        let house = House(graph, first)
        let node = house.node(\.room.name)
        let heard = Recorder(node)
        first.name = "big hall"
        house.room = second
        first.name = "unheard"
        second.name = "small kitchen"
        node.set("galley")
        #expect(first.name == "unheard" && second.name == "galley")
        #expect(heard.history == ["hall", "big hall", "kitchen", "small kitchen", "galley"])
        house.bind(\.room.name, to: graph.mutable("linked"))
        #expect(second.name == "linked")
    }

    @Test("G-96: paths through optional objects and computed properties are followed")
    func readOnly() {
        let room = Chamber(graph)
        let power: Node<Int?> = room.node(\.lamp?.power)
        let title: Node<String> = room.node(\.title)
        let heard = Recorder(power)
        let titles = Recorder(title)
        let lamp = Lamp(graph)
        room.lamp = lamp
        lamp.power = 3
        room.lamp = nil
        lamp.power = 4
        room.name = "den"
        room.brightness = 1
        #expect(heard.history == [nil, 0, 3, nil])
        #expect(titles.history == ["hall at 50", "den at 50", "den at 1"])
    }

    @Test("G-96: the object owns its bound nodes; one kept by others outlives it as a plain node")
    func lifetime() {
        weak var gone: Node<String>?
        var kept: MutableNode<Int>?
        let assigned = graph.mutable("a")
        weak var object: Chamber?
        do {
            let room = Chamber(graph)
            object = room
            gone = room.node(\.name)
            #expect(gone != nil)
            kept = room.node(\.brightness)
            room.bind(\.name, to: assigned)
        }
        #expect(object == nil && gone == nil && kept?.value == 50)
        kept?.set(700)
        assigned.set("b")
        #expect(kept?.value == 700 && kept?.hasListener == false && !assigned.hasDownstreamNode)
        kept = nil
        #expect(graph.counts.liveNodes == 1 && graph.leakedRings().isEmpty)
    }

    @Test("G-96: nothing of a replaced object is kept by a nested path")
    func nestedLifetime() {
        let house = House(graph, Chamber(graph))
        weak let old = house.room
        let node = house.node(\.room.name)
        house.room = Chamber(graph, name: "new")
        #expect(old == nil && node.value == "new")
    }

    @Test("G-37, G-96: property and node agree after changes from inside a pass")
    func inPass() {
        let room = Chamber(graph)
        let node = room.node(\.brightness)
        let heard = Recorder<Int>()
        node.listen(owner: heard, replay: false) { recorder, value in
            recorder.note(value)
            if value == 1 {
                node.set(2)
                room.brightness = 3
            }
        }
        node.set(1)
        #expect(heard.history == [1, 2, 3] && room.brightness == 3 && node.value == 3)
        node.set(4)
        #expect(room.brightness == 4)
    }

    @Test("G-96: properties of a subclass's base are bound as well")
    func subclass() {
        final class Big: Chamber {}
        let room = Big(graph)
        let node = room.node(\.name)
        let base: Chamber = room
        base.name = "x"
        #expect(node.value == "x")
        node.set("y")
        #expect(base.node(\.name).value == "y")
    }

    @Test("G-96: a path on which nothing can be followed traps")
    func unbound() async {
        await #expect(processExitsWith: .failure) {
            _ = Chamber(Graph()).node(\.plain)
        }
    }

    @Test(
        "G-96: random changes from all sides leave property, node and assigned nodes equal",
        arguments: 0..<30
    )
    func random(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let room = Chamber(graph)
        let node = room.node(\.brightness)
        let others = (0..<2).map { graph.mutable($0) }
        for other in others { room.bind(\.brightness, to: other) }
        let heard = Recorder(node)
        var depth = 0
        node.listen(owner: heard, replay: false) { _, value in
            guard depth < 3, value.isMultiple(of: 7) else { return }
            depth += 1
            if value.isMultiple(of: 2) { room.brightness = value + 1 } else { node.set(value + 1) }
            depth -= 1
        }
        for _ in 0..<60 {
            let value = random.below(140) - 20
            switch random.below(3) {
            case 0: room.brightness = value
            case 1: node.set(value)
            default: others[random.below(2)].set(value)
            }
            #expect(node.value == room.brightness, "seed \(seed)")
            #expect(others.allSatisfy { $0.value == room.brightness }, "seed \(seed)")
        }
        #expect(graph.validate(roots: [node]) == [])
    }
}
