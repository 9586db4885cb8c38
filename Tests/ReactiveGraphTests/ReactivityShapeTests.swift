import ReactiveGraph
import TestSupport
import Testing

/// The shapes that the public js-reactivity benchmark measures signals libraries with.
///
/// `Benchmarks` measures the same shapes (Shapes.swift); here every value is checked.
@Suite("Shapes of the js-reactivity benchmark (G-50, G-52, G-71)")
struct ReactivityShapeTests {
    private let graph = Graph()
    private let bag = CancellableBag()

    @Test("avoidable: a step that gives the same again stops what follows it")
    func avoidable() {
        let head = graph.mutable(0)
        var runs = 0
        let last = head.map { $0 }.map { _ in 0 }.distinct()
            .map { value in
                runs += 1
                return value + 1
            }
            .map { $0 + 2 }.map { $0 + 3 }
        var heard: [Int] = []
        last.listen(in: bag) { heard.append($0) }
        for value in 0..<1_000 { head.set(value) }
        #expect(last.value == 6)
        #expect(heard == [6])
        #expect(runs == 1)
    }

    @Test("broad: fifty pairs of steps on one node, each with a listener")
    func broad() {
        let head = graph.mutable(0)
        var calls = 0
        var last: Node<Int> = head
        for place in 0..<50 {
            last = head.map { $0 + place }.map { $0 + 1 }
            last.listen(in: bag, replay: false) { _ in calls += 1 }
        }
        for value in 0..<50 {
            head.set(value)
            #expect(last.value == value + 50)
        }
        #expect(calls == 50 * 50)
    }

    @Test("deep: fifty steps in a row")
    func deep() {
        let head = graph.mutable(0)
        var last: Node<Int> = head
        for _ in 0..<50 { last = last.map { $0 + 1 } }
        var calls = 0
        last.listen(in: bag, replay: false) { _ in calls += 1 }
        for value in 0..<50 {
            head.set(value)
            #expect(last.value == value + 50)
        }
        #expect(calls == 50)
    }

    @Test("diamond: five branches meet again, and their listener is called once")
    func diamond() {
        let head = graph.mutable(0)
        let sum = Node.combineEach((0..<5).map { _ in head.map { $0 + 1 } }) { $0.reduce(0, +) }
        var calls = 0
        sum.listen(in: bag, replay: false) { _ in calls += 1 }
        for value in 0..<500 {
            head.set(value)
            #expect(sum.value == (value + 1) * 5)
        }
        #expect(calls == 500)
    }

    @Test("mux: a hundred nodes are joined and taken apart again")
    func mux() {
        let heads = (0..<100).map { _ in graph.mutable(0) }
        let all = Node.combine(heads)
        let parts = heads.indices.map { place in all.map { $0[place] }.map { $0 + 1 } }
        for part in parts { part.listen(in: bag) { _ in } }
        for factor in [1, 2] {
            for place in 0..<10 {
                heads[place].set(place * factor)
                #expect(parts[place].value == place * factor + 1)
            }
        }
    }

    @Test("repeated: a join of thirty times the same node is called once")
    func repeated() {
        let head = graph.mutable(0)
        let sum = Node.combineEach([Node<Int>](repeating: head, count: 30)) { $0.reduce(0, +) }
        var calls = 0
        sum.listen(in: bag, replay: false) { _ in calls += 1 }
        for value in 0..<100 {
            head.set(value)
            #expect(sum.value == value * 30)
        }
        #expect(calls == 100)
    }

    @Test("triangle: all ten steps of a row meet in one join")
    func triangle() {
        let head = graph.mutable(0)
        var steps: [Node<Int>] = [head]
        for _ in 1..<10 { steps.append(steps[steps.count - 1].map { $0 + 1 }) }
        let sum = Node.combineEach(steps) { $0.reduce(0, +) }
        var calls = 0
        sum.listen(in: bag, replay: false) { _ in calls += 1 }
        for value in 0..<100 {
            head.set(value)
            #expect(sum.value == 45 + value * 10)
        }
        #expect(calls == 100)
    }

    @Test("unstable: what a node depends on changes with every value")
    func unstable() {
        let head = graph.mutable(0)
        let (double, inverse) = (head.map { $0 * 2 }, head.map { -$0 })
        let chosen = head.map { !$0.isMultiple(of: 2) }.flattenMap { $0 ? double : inverse }.map { $0 * 20 }
        chosen.listen(in: bag) { _ in }
        for value in 0..<100 {
            head.set(value)
            #expect(chosen.value == (value.isMultiple(of: 2) ? value * -20 : value * 40))
        }
    }

    // MARK: - Rows of nodes

    /// The published sums; of a part of the last row where that is what the benchmark adds up.
    static let rows = [
        Rows("2-10x5", width: 10, layers: 5, inputs: 2, published: Published(600_000, 95_999_840)),
        Rows("6-10x10", width: 10, layers: 10, inputs: 6, dynamic: 0.25),
        Rows("4-1000x12", width: 1_000, layers: 12, inputs: 4, dynamic: 0.05),
        Rows(
            "25-1000x5",
            width: 1_000,
            layers: 5,
            inputs: 25,
            published: Published(3_000, 1_171_484_375_000)
        ),
        Rows(
            "3-5x500",
            width: 5,
            layers: 500,
            inputs: 3,
            published: Published(500, 3.0239642676898464e241)
        ),
        Rows("6-100x15", width: 100, layers: 15, inputs: 6, dynamic: 0.5),
    ]

    @Test("dynamic: rows of nodes give the sums of a plain computation", arguments: rows)
    func rowsOfNodes(_ rows: Rows) {
        let sources = (0..<rows.width).map { graph.mutable(Double($0)) }
        var row: [Node<Double>] = sources
        for layer in 0..<rows.layers - 1 {
            row = row.indices.map { place in
                let inputs = rows.inputs(of: place).map { row[$0] }
                return Node.combineEach(inputs) { rows.value($0, layer, place) }
            }
        }
        let leaves = row
        for leaf in leaves { leaf.listen(in: bag) { _ in } }
        let times = Nightly.isOn ? rows.published?.iterations ?? 2_000 : 20
        var model = (0..<rows.width).map { Double($0) }
        for time in 0..<times {
            let place = time % rows.width
            model[place] = Double(time + place)
            sources[place].set(model[place])
        }
        let sum = leaves.reduce(0) { $0 + ($1.value ?? .nan) }
        #expect(sum == rows.sum(of: model))
        if Nightly.isOn, let published = rows.published { #expect(sum == published.sum) }
    }
}

/// What the benchmark says that rows come to.
struct Published {
    let iterations: Int
    let sum: Double

    init(_ iterations: Int, _ sum: Double) {
        (self.iterations, self.sum) = (iterations, sum)
    }
}

/// Rows of nodes, each made of some nodes of the row before; some leave out one of them, as its
/// values say.
struct Rows: CustomTestStringConvertible {
    let testDescription: String
    let width: Int
    let layers: Int
    private let inputCount: Int
    private let dynamic: Set<Int>
    let published: Published?

    init(
        _ name: String,
        width: Int,
        layers: Int,
        inputs: Int,
        dynamic: Double = 0,
        published: Published? = nil
    ) {
        testDescription = name
        (self.width, self.layers, inputCount, self.published) = (width, layers, inputs, published)
        var random = SeededGenerator(seed: 1)
        self.dynamic = Set(
            (0..<width * layers).filter { _ in Double.random(in: 0..<1, using: &random) < dynamic }
        )
    }

    /// The places of the row before that a node is made of.
    func inputs(of place: Int) -> [Int] { (0..<inputCount).map { (place + $0) % width } }

    /// What a node makes of them.
    func value(_ inputs: [Double], _ layer: Int, _ place: Int) -> Double {
        guard dynamic.contains(layer * width + place) else { return inputs.reduce(0, +) }
        let first = inputs[0]
        let isOdd = first.truncatingRemainder(dividingBy: 2) == 1
        let dropped = Int(first.truncatingRemainder(dividingBy: Double(inputs.count - 1)))
        var sum = first
        for (place, input) in inputs.dropFirst().enumerated() where !isOdd || place != dropped {
            sum += input
        }
        return sum
    }

    /// The sum of the last row, computed without a graph.
    func sum(of sources: [Double]) -> Double {
        var row = sources
        for layer in 0..<layers - 1 {
            row = row.indices.map { place in value(inputs(of: place).map { row[$0] }, layer, place) }
        }
        return row.reduce(0, +)
    }
}
