import TestSupport

/// Makes random definitions, pipelines and values.
struct Maker {
    var dice: SeededGenerator
    private var lastNumber = 0

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[dice.below(elements.count)]
    }

    /// Numbers mostly.
    mutating func value() -> Naive.Value {
        switch dice.below(20) {
        case 0: .text("a")
        case 1: .null
        case 2: .object([.init(name: "k", value: .number(Double(dice.below(2))))])
        case 3: .object([])
        case 4: .bool(true)
        case 5: .pair(.text("two"), .number(9))
        default: .number(Double(dice.below(4)))
        }
    }

    // MARK: - Definitions

    mutating func shape() -> Naive.Shape {
        var shape = Naive.Shape()
        shape.isSettled = dice.below(4) > 0
        for _ in 0..<(2 + dice.below(2)) { shape.nodes.append(setNode()) }
        for _ in 0..<(1 + dice.below(5)) { add(to: &shape) }
        let names = shape.nodes.filter(\.isSet).map(\.name)
        if dice.below(4) == 0 {
            // A clique of three now and then.
            let isClique = dice.below(3) == 0 && names.count > 2
            for (a, b) in isClique ? [(0, 1), (1, 2), (2, 0)] : [(0, 1)] {
                let way = (toB: Naive.Expression.maps[1], toA: Naive.Expression.maps[1])
                shape.syncs.append(
                    Naive.SyncShape(
                        a: names[a],
                        b: names[b],
                        ways: !isClique && dice.below(2) == 0 ? way : nil
                    )
                )
            }
        }
        for _ in 0..<[0, 0, 1, 1, 2][dice.below(5)] {
            if let link = link(in: shape) { shape.links.append(link) }
        }
        return shape
    }

    private mutating func name(_ letter: String) -> String {
        lastNumber += 1
        return "\(letter)\(lastNumber)"
    }

    private mutating func setNode() -> Naive.NodeShape {
        let isNumber = dice.below(4) == 0
        let initial: Naive.Value? = dice.below(2) == 0 ? .number(Double(dice.below(3))) : nil
        let ttl = dice.below(6) == 0 ? 4 + dice.below(10) : nil
        return Naive.NodeShape(
            name: name("x"),
            kind: .set(initial: initial, max: isNumber ? 5 : nil, ttl: ttl)
        )
    }

    /// Adds one node, or an `if` with its sides.
    mutating func add(to shape: inout Naive.Shape) {
        let source = source(from: shape.nodes.map(\.name), of: shape, makesConditions: true)
        var node = Naive.NodeShape(name: name("d"), kind: .made(source, []))
        guard case .condition(let from, let when, _, _) = source else {
            node.kind = .made(source, stages(at: 3))
            node.retain = retain()
            return shape.nodes.append(node)
        }
        let sides = [("\(node.name)t", true), ("\(node.name)e", false)].filter { _ in dice.below(5) > 0 }
        guard !sides.isEmpty else { return }
        let then = sides.first { $0.1 }?.0
        node.kind = .made(
            .condition(from: from, when: when, then: then, otherwise: sides.first { !$0.1 }?.0),
            []
        )
        shape.nodes.append(node)
        for (name, isThen) in sides {
            shape.nodes.append(
                Naive.NodeShape(name: name, kind: .made(.side(of: node.name, isThen: isThen), []))
            )
        }
    }

    private mutating func retain() -> Naive.Retain? {
        [nil, nil, nil, .always, .whileInUse, .untilPressure][dice.below(6)]
    }

    private mutating func link(in shape: Naive.Shape) -> Naive.LinkShape? {
        let from = pick(shape.nodes).name
        let to = pick(shape.nodes)
        guard to.name != from, !to.isSide, to.retain == nil || to.retain == .always else { return nil }
        let link = Naive.LinkShape(from: from, to: to.name, stages: stages(at: 2))
        guard !shape.links.contains(where: { $0.json == link.json }) else { return nil }
        var with = shape
        with.links.append(link)
        return with.hasTimedCircle ? nil : link
    }

    /// A source of any kind.
    mutating func source(from names: [String], of shape: Naive.Shape, makesConditions: Bool) -> Naive.Source {
        func any(_ dice: inout SeededGenerator) -> String { names[dice.below(names.count)] }
        func several(_ dice: inout SeededGenerator) -> [String] {
            (0...1 + dice.below(2)).map { _ in any(&dice) }
        }
        let switches = shape.nodes.filter {
            if case .made(.sort, let stages) = $0.kind { stages.isEmpty } else { $0.isCondition }
        }.map(\.name)
        switch dice.below(makesConditions ? 13 : 12) {
        case 0, 1, 2: return .from(any(&dice))
        case 3:
            return .combine(
                [any(&dice), any(&dice)],
                isNamed: true,
                passive: passive(1),
                map: dice.below(4) > 0 ? .difference : nil
            )
        case 4:
            let map = dice.below(3) > 0 ? pick(Naive.Expression.lists) : nil
            let names = several(&dice)
            return .combine(
                names,
                isNamed: false,
                passive: names.count > 1 ? passive(names.count - 1) : [],
                map: map
            )
        case 5: return .merge(several(&dice))
        case 6:
            let to = ["1", "2", "a"].prefix(1 + dice.below(3)).map { (key: $0, node: any(&dice)) }
            return .flatten(from: any(&dice), to: to, otherwise: dice.below(2) == 0 ? any(&dice) : nil)
        case 7:
            let map = dice.below(2) == 0 ? pick(Naive.Expression.lists) : nil
            return .zip(several(&dice), map: map, buffer: makesConditions && dice.below(2) == 0 ? 2 : nil)
        case 8:
            let value = dice.below(2) == 0 ? Naive.Expression.maps[0] : nil
            return .sort(from: any(&dice), by: pick(Naive.Expression.keys), value: value)
        case 9:
            let of = dice.below(5) == 0 ? any(&dice) : switches.isEmpty ? any(&dice) : pick(switches)
            return .one(of: of, key: pick([.text("two"), .text("more"), .number(1), .bool(true)]))
        case 10: return .rest(of: switches.isEmpty ? any(&dice) : pick(switches))
        case 11:
            let of = switches.isEmpty ? any(&dice) : pick(switches)
            let keys: [Naive.Value] = [.text("two"), .text("more"), .null, .number(1), .bool(true)]
            return .others(of: of, excluding: (0...dice.below(3)).map { _ in keys[dice.below(keys.count)] })
        default:
            return .condition(
                from: any(&dice),
                when: pick(Naive.Expression.conditions),
                then: nil,
                otherwise: nil
            )
        }
    }

    /// One of the first inputs now and then; the last one is always a cause.
    private mutating func passive(_ most: Int) -> Set<Int> {
        dice.below(2) == 0 ? [dice.below(most)] : []
    }

    /// Up to so many stages.
    mutating func stages(at most: Int) -> [Naive.Stage] {
        (0..<dice.below(most + 1)).map { _ in stage() }
    }

    mutating func stage() -> Naive.Stage {
        switch dice.below(21) {
        case 0, 1: .map(pick(Naive.Expression.maps))
        case 2: .replace(.number(7))
        case 3: .ifEmpty(.number(0))
        case 4, 5: .filter(pick(Naive.Expression.conditions))
        case 6: .ignore(.number(1))
        case 7: .select(.number(2))
        case 8: .ignoreNull
        case 9, 10: .distinct(by: dice.below(3) == 0 ? Naive.Expression.conditions[2] : nil)
        case 11: .delta
        case 12: .skip(dice.below(3))
        case 13: .take(dice.below(4))
        case 14:
            {
                let (start, with) = pick(Naive.Expression.scans)
                return .scan(start: start, with: with)
            }()
        case 15: .windowOf(count: 1 + dice.below(3), pick(Naive.Figure.allCases))
        case 16: .windowOver(milliseconds: 4 + dice.below(5), pick(Naive.Figure.allCases))
        case 17: .debounce(3 + dice.below(4), pick(Naive.Edge.allCases))
        case 18: .sample(4 + dice.below(3), pick(Naive.Edge.allCases))
        case 19: .delay(2 + dice.below(6))
        default: .prefix(1 + dice.below(3))
        }
    }

    // MARK: - Changes

    /// Another definition, and the node whose source or stages are others.
    ///
    /// At most one node is built anew: in which order several would be, is left open.
    mutating func change(of shape: Naive.Shape) -> (shape: Naive.Shape, altered: String?) {
        var new = shape
        switch dice.below(6) {
        case 0, 1:
            let places = shape.nodes.indices.filter { place in
                let node = shape.nodes[place]
                return !node.isSet && !node.isSide && !node.isCondition
            }
            guard !places.isEmpty else { break }
            let place = pick(places)
            let names = shape.nodes[..<place].map(\.name)
            var node = shape.nodes[place]
            let before = node.json
            let source = source(from: names, of: shape, makesConditions: false)
            // A case of what comes later would be a circle.
            guard source.references.allSatisfy(names.contains) else { break }
            node.kind = .made(source, stages(at: 3))
            node.retain = shape.links.contains { $0.to == node.name } ? nil : retain()
            guard node.json != before else { break }
            new.nodes[place] = node
            return new.hasTimedCircle ? (shape, nil) : (new, node.name)
        case 2: add(to: &new)
        case 3:
            let needed = Set(shape.nodes.flatMap(\.references)).union(
                shape.links.flatMap { [$0.from, $0.to] }
            )
            .union(shape.syncs.flatMap { [$0.a, $0.b] })
            let places = shape.nodes.indices.filter { place in
                let node = shape.nodes[place]
                return !node.isSide && !node.isCondition && !needed.contains(node.name)
            }
            if places.count > 1 { new.nodes.remove(at: pick(places)) }
        case 4:
            let place = dice.below(shape.nodes.count)
            if !shape.nodes[place].isSide { new.nodes[place].title += 1 }
        default:
            if !shape.links.isEmpty, dice.below(2) == 0 {
                new.links.remove(at: dice.below(shape.links.count))
            } else if let link = link(in: shape) {
                new.links.append(link)
            }
        }
        return (new, nil)
    }
}
