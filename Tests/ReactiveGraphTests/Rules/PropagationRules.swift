import ReactiveGraph
import Testing

@Suite("Rules of propagation")
struct PropagationRules {
    let graph = Graph()
    let trace = Trace()

    @Test("G-34 … G-36: listeners first, in order of attachment; depth first")
    func order() {
        let s = graph.mutable(0)
        let p = s.fork()
        let r = p.fork()
        let q = s.fork()
        for (node, name) in [(r, "r"), (q, "q"), (p, "p"), (s as Node<Int>, "s")] {
            trace.hear(node, as: name)
        }
        s.set(1)
        #expect(trace.lines == ["s1", "p1", "r1", "q1"])
    }

    @Test("G-37: a re-entrant set interrupts no listener; reading gives the earlier value until it is taken")
    func reentrant() {
        let node = graph.mutable(0)
        let derived = node.map { $0 * 10 }
        node.listen(in: trace.bag, replay: false) { [trace] (value: Int) in
            if value == 1 {
                node.set(2)
                trace.note("still \(node.value ?? -1)")
            }
        }
        trace.hear(node, as: "n")
        trace.hear(derived, as: "d")
        node.set(1)
        #expect(trace.lines == ["still 1", "n1", "d10", "n2", "d20"])
    }

    @Test("G-38: a set of an idle node inside a listener is finished when it returns")
    func nested() {
        let outer = graph.mutable(0)
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let sum = Node.combineEach(a, b) { $0 + $1 }
        trace.hear(sum, as: "sum")
        outer.listen(in: trace.bag, replay: false) { [trace] (value: Int) in
            a.set(value)
            trace.note("has \(sum.value ?? -1)")
        }
        outer.set(5)
        #expect(trace.lines == ["sum6", "has 6"])
    }

    @Test("G-39: feedback that does not settle is stopped and reported; the graph stays usable")
    func feedback() {
        let graph = Graph(feedbackLimit: 50)
        let node = graph.mutable(0).named("loop")
        var errors: [String] = []
        graph.onError = { errors.append("\($0)") }
        let cancellable = node.listen(in: trace.bag, replay: false) { (value: Int) in node.set(value + 1) }
        node.set(1)
        #expect(errors.count == 1 && errors[0].contains("loop"))
        #expect(node.value == 51, "the set from outside and as many queued ones as the limit allows")
        cancellable.cancel()
        trace.hear(node, as: "n")
        node.set(7)
        #expect(trace.lines == ["n7"] && node.value == 7)
    }

    @Test("G-40: branches share the beginning of a path, and each node appends itself")
    func branches() {
        let s = graph.mutable(0)
        let left = s.fork()
        let right = s.fork()
        let merged = Node.merge([left, right])
        trace.hearAll(merged, as: "m")
        s.set(1)
        #expect(
            trace.lines == [
                "m1 via \(s.id) \(left.id) \(merged.id) with none",
                "m1 via \(s.id) \(right.id) \(merged.id) with none",
            ]
        )
    }

    @Test("G-41, G-42: a ring sets each node once, and does not call the function that closes it")
    func ring() {
        let x = graph.mutable(0)
        let y = graph.mutable(0)
        let z = graph.mutable(0)
        func edge(_ name: String) -> TransformEdge<Int, Int> {
            TransformEdge { [trace] value in
                trace.note(name)
                return value + 1
            }
        }
        y.link(to: x, via: edge("x>y"))
        z.link(to: y, via: edge("y>z"))
        x.link(to: z, via: edge("z>x"))
        _ = trace.take()
        for (node, name) in [(x, "x"), (y, "y"), (z, "z")] { trace.hear(node, as: name) }
        y.set(10)
        #expect(trace.take() == ["y10", "y>z", "z11", "z>x", "x12"])
        #expect(y.value == 10)
        x.set(1)
        #expect(trace.lines == ["x1", "x>y", "y2", "y>z", "z3"])
    }

    @Test("G-43: the check is per path; a merge of two branches emits twice", arguments: [true, false])
    func paths(isSettled: Bool) {
        let graph = Graph(propagation: isSettled ? .settled : .immediate)
        let s = graph.mutable(0)
        trace.hear(Node.merge([s.map { $0 * 10 }, s.map { $0 + 1 }]), as: "m")
        s.set(4)
        #expect(trace.take() == ["m40", "m5"])
        let nodes = (0..<3).map { _ in graph.mutable(0) }
        for one in nodes {
            for other in nodes where one !== other { one.link(to: other, replay: false) }
        }
        for (index, node) in nodes.enumerated() {
            trace.hear(node, as: "\("xyz".dropFirst(index).first ?? "?")")
        }
        nodes[0].set(1)
        #expect(trace.lines.sorted() == ["x1", "y1", "y1", "z1", "z1"])
    }

    @Test("G-44: closing a ring sets each of its nodes at most once by the replay")
    func closing() {
        let x = graph.mutable(1)
        let y = x.map { $0 + 1 }
        trace.hear(x, as: "x")
        trace.hear(y, as: "y")
        x.link(to: y, via: TransformEdge { $0 * 10 })
        #expect(trace.lines == ["x20"])
        #expect(y.value == 2)
    }

    @Test(
        "G-45: the context goes everywhere; combines take that of the input that completed",
        arguments: [true, false]
    )
    func context(isSettled: Bool) {
        let graph = Graph(propagation: isSettled ? .settled : .immediate)
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let sum = Node.combineEach(a.map { $0 }, b) { $0 + $1 }
        sum.listenEmissions(in: trace.bag) { [trace] emission, delivery in
            guard let value = emission.value else { return }
            trace.note("\(value) \(delivery.context?.value(as: String.self) ?? "none")")
        }
        let context = Context("a")
        a.set(2, context: context)
        b.set(2, context: Context("b"))
        b.set(3)
        #expect(trace.lines == ["2 none", "3 a", "4 b", "5 none"])
    }

    @Test("G-46, G-139: what is connected during a pass has been replayed and is not served again")
    func late() {
        let node = graph.mutable(0)
        var made: [Node<Int>] = []
        node.listen(in: trace.bag, replay: false) { [trace] (value: Int) in
            guard value == 1 else { return }
            trace.hear(node, as: "late", replay: true)
            made.append(
                node.map {
                    trace.note("map\($0)")
                    return $0
                }
            )
        }
        node.set(1)
        #expect(trace.take() == ["late1", "map1"])
        node.set(2)
        #expect(trace.lines == ["late2", "map2"])
    }

    @Test("G-47: an edge cancelled before its turn is not served, even if it is kept")
    func cut() {
        let node = graph.mutable(0)
        let target = graph.node(of: Int.self)
        let edge = TransformEdge<Int, Int> { [trace] in
            trace.note("edge\($0)")
            return $0
        }
        var later: CancelToken?
        node.listen(in: trace.bag, replay: false) { (_: Int) in
            later?.cancel()
            edge.disconnect()
        }
        later = trace.hear(node, as: "later")
        target.link(to: node, via: edge)
        _ = trace.take()
        node.set(1)
        #expect(trace.lines.isEmpty && target.value == 0)
    }

    @Test("G-48, G-140: a function that throws leaves no node stuck and stops no other branch")
    func throwing() {
        struct Failure: Error {}
        let node = graph.mutable(0)
        var errors = 0
        graph.onError = { _ in errors += 1 }
        let failing = node.tryMap { value in
            if value == 1 { throw Failure() }
            return value
        }
        trace.hear(node.map { $0 }, as: "other")
        trace.hear(failing, as: "failing")
        node.set(1)
        node.set(2)
        #expect(errors == 1 && trace.lines == ["other1", "failing2", "other2"])
    }

    @Test(
        "G-50, G-51, G-136: a settled diamond emits once and never half of a change; an immediate one twice"
    )
    func diamond() {
        for (propagation, expected) in [(Graph.Propagation.settled, ["t45"]), (.immediate, ["t44", "t45"])] {
            let graph = Graph(propagation: propagation)
            let s = graph.mutable(3)
            let total = Node.combineEach(s.map { $0 * 10 }, s.map { $0 + 1 }) { $0 + $1 }
            #expect(total.value == 34)
            trace.hear(total, as: "t")
            s.set(4)
            #expect(trace.take() == expected)
        }
        #expect(Graph().propagation == .settled)
    }

    @Test("G-50: no join settles before a marked one upstream of it, whatever the order of making")
    func ranks() {
        let s = graph.mutable(0)
        let late = graph.node(of: Int.self)
        let bottom = Node.combineEach(s, late) { ($0, $1) }
        let top = Node.combineEach(s.map { $0 }, s) { $0 + $1 }
        late.link(to: top.map { $0 })
        bottom.listen(in: trace.bag, replay: false) { [trace] (pair: (Int, Int)) in
            trace.note("\(pair.0) \(pair.1)")
        }
        s.set(1)
        s.set(2)
        #expect(trace.lines == ["1 2", "2 4"])
    }

    @Test("G-50: the inner following of a flatten counts for the order")
    func ranksOverFlatten() {
        let s = graph.mutable(0)
        let choice = graph.mutable(0)
        let top = Node.combineEach(s, s.map { $0 * 10 }) { $0 + $1 }
        let followed = choice.flattenMap { _ in top }
        let bottom = Node.combineEach(followed, s) { ($0, $1) }
        bottom.listen(in: trace.bag, replay: false) { [trace] (pair: (Int, Int)) in
            trace.note("\(pair.0) \(pair.1)")
        }
        s.set(1)
        #expect(trace.lines == ["11 1"])
    }

    @Test("G-50: the edge that closed a ring counts again as soon as the ring is open, in the same turn")
    func ringOpenedInTurn() {
        let s = graph.mutable(0)
        let back = graph.mutable(0)
        let extra = graph.mutable(0)
        let top = Node.combineEach(s, back) { $0 + $1 }
        let bottom = Node.combineEach(s, extra) { ($0, $1) }
        // First bottom is upstream of top; the way from top to bottom then closes a ring.
        let opening = back.link(to: bottom.map { $0.0 }, replay: false)
        extra.link(to: top.map { $0 }, replay: false)
        s.fork().listen(in: trace.bag, replay: false) { (_: Int) in opening?.cancel() }
        bottom.listen(in: trace.bag, replay: false) { [trace] (pair: (Int, Int)) in
            trace.note("\(pair.0) \(pair.1)")
        }
        s.set(1)
        #expect(trace.lines == ["1 1"])
    }

    @Test("G-50: a join marked outside waits for its turn when a nested set delivers an input")
    func nestedMark() {
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let sum = Node.combineEach(a, b) { $0 + $1 }
        trace.hear(sum, as: "sum")
        let last = a.fork()
        last.listen(in: trace.bag, replay: false) { [trace] (value: Int) in
            b.set(10)
            trace.note("has \(sum.value ?? -1)")
        }
        a.set(5)
        #expect(trace.lines == ["has 2", "sum15"])
    }

    @Test("G-50, G-82: a join that loses an input while marked does not emit")
    func marked() {
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let sum = Node.combineEach(a, b) { $0 + $1 }
        trace.hear(sum, as: "sum")
        let last = a.fork()
        last.listen(in: trace.bag, replay: false) { (_: Int) in sum.removeUpstreamNode(b) }
        a.set(5)
        #expect(trace.lines.isEmpty && sum.value == 2)
    }

    @Test("G-50: replays at connection are turns of their own")
    func replayTurn() {
        let s = graph.mutable(0)
        let a = graph.mutable(1)
        let target = graph.mutable(5)
        let sum = Node.combineEach(target, target.map { $0 * 10 }) { $0 + $1 }
        trace.hear(sum, as: "sum")
        s.listen(in: trace.bag, replay: false) { [trace] (_: Int) in
            target.link(to: a)
            trace.note("linked")
        }
        s.set(1)
        #expect(trace.lines == ["sum11", "linked"])
    }

    @Test("G-34a, G-51a: a batch is one turn; its own values win over what propagation brings")
    func batch() {
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        var calls = 0
        b.link(
            to: a,
            via: TransformEdge {
                calls += 1
                return $0 * 100
            }
        )
        calls = 0
        let sum = Node.combineEach(a, b) { $0 + $1 }
        trace.hear(sum, as: "sum")
        graph.batch(context: Context("c")) { batch in
            batch.set(a, 2)
            batch.set(b, 3)
        }
        #expect(trace.take() == ["sum5"] && calls == 0)
        graph.batch { $0.clear(b) }
        graph.batch { batch in
            batch.clear(b)
            batch.set(a, 7)
        }
        #expect(b.isEmpty && calls == 0 && sum.value == 10)
    }

    @Test("G-47: what follows a cancelled edge is served all the same")
    func behindTheCut() {
        let node = graph.mutable(0)
        var next: CancelToken?
        node.listen(in: trace.bag, replay: false) { (_: Int) in next?.cancel() }
        next = trace.hear(node, as: "cut")
        trace.hear(node, as: "last")
        let first = node.map { [trace] value in
            trace.note("map\(value)")
            return value
        }
        _ = trace.take()
        node.set(1)
        #expect(trace.lines == ["last1", "map1"])
        withExtendedLifetime(first) {}
    }

    @Test("G-45, G-50: a settled join takes the context of the input that was delivered last")
    func lastContext() {
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let sum = Node.combineEach(a, b) { $0 + $1 }
        let last = a.fork()
        last.listen(in: trace.bag, replay: false) { (_: Int) in b.set(10, context: Context("inner")) }
        sum.listenEmissions(in: trace.bag, replay: false) { [trace] emission, delivery in
            guard let value = emission.value else { return }
            trace.note("\(value) \(delivery.context?.value(as: String.self) ?? "none")")
        }
        a.set(5, context: Context("outer"))
        #expect(trace.lines == ["15 inner"])
    }

    @Test("G-50: unrelated joins of one rank settle in order of creation")
    func ties() {
        let s = graph.mutable(0)
        let left = graph.node(of: Int.self)
        let right = graph.node(of: Int.self)
        let sums = [left, right].map { Node.combineEach($0, $0.fork()) { $0 + $1 } }
        for (sum, name) in zip(sums, ["first", "second"]) { trace.hear(sum, as: name) }
        // The join made last is marked first.
        right.link(to: s)
        left.link(to: s)
        _ = trace.take()
        s.set(1)
        #expect(trace.lines == ["first2", "second2"])
    }

    @Test("G-50: what an inner node comes to depend on counts for its followers")
    func raisedOverFlatten() {
        let s = graph.mutable(0)
        let inner = graph.mutable(0)
        let choice = graph.mutable(0)
        let followed = choice.flattenMap { _ in inner }
        let bottom = Node.combineEach(followed, s) { ($0, $1) }
        let top = Node.combineEach(s, s.fork()) { $0 + $1 }
        inner.link(to: top.fork())
        bottom.listen(in: trace.bag, replay: false) { [trace] (pair: (Int, Int)) in
            trace.note("\(pair.0) \(pair.1)")
        }
        s.set(1)
        #expect(trace.lines == ["2 1"])
    }
}
