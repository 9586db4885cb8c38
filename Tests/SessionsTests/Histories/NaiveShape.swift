import Definitions

extension Naive {
    /// The definition of a graph, as the model knows it.
    struct Shape {
        var isSettled = true
        var nodes: [NodeShape] = []
        var syncs: [SyncShape] = []
        var links: [LinkShape] = []

        subscript(name: String) -> NodeShape? { nodes.first { $0.name == name } }

        var json: String {
            let nodes = nodes.filter { !$0.isSide }.map { "\"\($0.name)\":\($0.json)" }
            let syncs = syncs.map(\.json).joined(separator: ",")
            let links = links.map(\.json).joined(separator: ",")
            return #"{"graph":"g","mode":"\#(isSettled ? "settled" : "immediate")","#
                + #""nodes":{\#(nodes.joined(separator: ","))},"sync":[\#(syncs)],"links":[\#(links)]}"#
        }

        /// Sources first, otherwise as they stand: a node is built when the last of what it is made
        /// from has been.
        var order: [NodeShape] {
            var waiting = nodes.map { $0.references.count }
            var open = nodes.indices.filter { waiting[$0] == 0 }
            var next = 0
            while next < open.count {
                for (place, node) in nodes.enumerated() {
                    for reference in node.references where reference == nodes[open[next]].name {
                        waiting[place] -= 1
                        if waiting[place] == 0 { open.append(place) }
                    }
                }
                next += 1
            }
            return open.map { nodes[$0] }
        }

        /// How long a node is held: as stated; otherwise as long as the graph where it depends on
        /// earlier values.
        func retain(_ node: NodeShape) -> Retain {
            if let retain = node.retain { return retain }
            let isLinked = links.contains { $0.to == node.name }
            return node.isForgetful && !isLinked ? .whileInUse : .always
        }

        /// Whether a link closes a circle in which a stage waits: such definitions are refused.
        var hasTimedCircle: Bool {
            links.contains { link in
                let circle = upstream(of: link.from)
                guard circle.contains(link.to) else { return false }
                return nodes.contains { node in
                    circle.contains(node.name) && upstream(of: node.name).contains(link.to)
                        && node.stages.contains(where: \.isTimed)
                } || links.contains { circle.contains($0.to) && $0.stages.contains(where: \.isTimed) }
            }
        }

        /// All nodes that a node's values come from, over ties as well.
        func upstream(of name: String) -> Set<String> {
            var open = [name]
            var seen: Set<String> = []
            while let next = open.popLast() {
                guard seen.insert(next).inserted else { continue }
                open += self[next]?.references ?? []
                open += links.filter { $0.to == next }.map(\.from)
                open += syncs.filter { $0.a == next }.map(\.b) + syncs.filter { $0.b == next }.map(\.a)
            }
            return seen
        }
    }

    enum Retain: String {
        case whileInUse, untilPressure, always
    }

    struct NodeShape {
        enum Kind {
            /// A node that is set: its initial value, the greatest number it takes where it takes
            /// only numbers, how long a value lasts.
            case set(initial: Value?, max: Int?, ttl: Int?)
            case made(Source, [Stage])
        }

        var name: String
        var kind: Kind
        var retain: Retain?
        var title = 0

        var isSet: Bool {
            if case .set = kind { true } else { false }
        }

        /// Whether it is one of the nodes that an `if` brings along.
        var isSide: Bool {
            if case .made(.side, _) = kind { true } else { false }
        }

        var isCondition: Bool {
            if case .made(.condition, _) = kind { true } else { false }
        }

        var stages: [Stage] {
            if case .made(_, let stages) = kind { stages } else { [] }
        }

        /// Nodes that it is made from, as often as it names them.
        var references: [String] {
            if case .made(let source, _) = kind { source.references } else { [] }
        }

        /// Class `none`: a function of what its inputs hold now.
        var isForgetful: Bool {
            guard case .made(let source, let stages) = kind else { return false }
            return source.isForgetful && stages.allSatisfy(\.isForgetful)
        }

        var json: String {
            var fields: [String]
            switch kind {
            case .set(let initial, let max, let ttl):
                fields = [max == nil ? #""set":"any""# : #""set":"number""#]
                if let max { fields.append(#""max":\#(max)"#) }
                if let initial { fields.append(#""initial":\#(initial.json)"#) }
                if let ttl { fields.append(#""ttl":\#(ttl)"#) }
            case .made(let source, let stages):
                fields = [source.json]
                if !stages.isEmpty {
                    fields.append(#""pipe":[\#(stages.map(\.json).joined(separator: ","))]"#)
                }
            }
            if let retain { fields.append(#""retain":"\#(retain.rawValue)""#) }
            if title > 0 { fields.append(#""title":"t\#(title)""#) }
            return "{\(fields.joined(separator: ","))}"
        }
    }

    struct SyncShape {
        var a: String
        var b: String
        /// What is made of a value of `a`, and of one of `b`; nil: it goes over as it is.
        var ways: (toB: Expression, toA: Expression)?

        var json: String {
            let more = ways.map { #","to_b":"\#($0.toB.text)","to_a":"\#($0.toA.text)""# } ?? ""
            return #"{"a":"\#(a)","b":"\#(b)"\#(more)}"#
        }
    }

    struct LinkShape {
        var from: String
        var to: String
        var stages: [Stage]

        var json: String {
            let pipe = stages.map(\.json).joined(separator: ",")
            return #"{"from":"\#(from)","to":"\#(to)"\#(stages.isEmpty ? "" : #","pipe":[\#(pipe)]"#)}"#
        }
    }

    enum Source {
        case from(String)
        case combine([String], isNamed: Bool, passive: Set<Int> = [], map: Expression?)
        case merge([String])
        case flatten(from: String, to: [(key: String, node: String)], otherwise: String?)
        case zip([String], map: Expression?, buffer: Int?)
        case sort(from: String, by: Expression, value: Expression?)
        case one(of: String, key: Value)
        case rest(of: String)
        case others(of: String, excluding: [Value])
        case condition(from: String, when: Expression, then: String?, otherwise: String?)
        case side(of: String, isThen: Bool)

        static let names = ["a", "b", "c"]

        var references: [String] {
            switch self {
            case .from(let name), .one(let name, _), .rest(let name), .others(let name, _),
                .side(let name, _):
                [name]
            case .combine(let names, _, _, _), .merge(let names), .zip(let names, _, _): names
            case .flatten(let from, let to, let otherwise):
                [from] + to.map(\.node) + (otherwise.map { [$0] } ?? [])
            case .sort(let from, _, _), .condition(let from, _, _, _): [from]
            }
        }

        /// Nodes that exist as long as it does: of a flatten only the one with the key.
        var eager: [String] {
            if case .flatten(let from, _, _) = self { [from] } else { references }
        }

        var isForgetful: Bool {
            switch self {
            case .from: true
            case .combine(_, _, let passive, _): passive.isEmpty
            default: false
            }
        }

        private static func list(_ names: [String]) -> String {
            "[\(names.map { "\"\($0)\"" }.joined(separator: ","))]"
        }

        var json: String {
            switch self {
            case .from(let name): return #""from":"\#(name)""#
            case .combine(let nodes, let isNamed, let passive, let map):
                let texts = nodes.enumerated().map { place, node in
                    passive.contains(place) ? #"{"of":"\#(node)","passive":true}"# : #""\#(node)""#
                }
                let inputs =
                    isNamed
                    ? "{\(Swift.zip(Self.names, texts).map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
                    : "[\(texts.joined(separator: ","))]"
                return #""combine":\#(inputs)"# + (map.map { #","map":"\#($0.text)""# } ?? "")
            case .merge(let names): return #""merge":\#(Self.list(names))"#
            case .flatten(let from, let to, let otherwise):
                let keys = to.map { "\"\($0.key)\":\"\($0.node)\"" }.joined(separator: ",")
                let rest = otherwise.map { #","otherwise":"\#($0)""# } ?? ""
                return #""flatten":{"from":"\#(from)","to":{\#(keys)}\#(rest)}"#
            case .zip(let names, let map, let buffer):
                return #""zip":\#(Self.list(names))"# + (map.map { #","map":"\#($0.text)""# } ?? "")
                    + (buffer.map { #","buffer":\#($0)"# } ?? "")
            case .sort(let from, let by, let value):
                let more = value.map { #","value":"\#($0.text)""# } ?? ""
                return #""switch":{"from":"\#(from)","by":"\#(by.text)"\#(more)}"#
            case .one(let of, let key): return #""case":{"of":"\#(of)","key":\#(key.json)}"#
            case .rest(let of): return #""default":{"of":"\#(of)"}"#
            case .others(let of, let keys):
                let list = keys.map(\.json).joined(separator: ",")
                return #""otherwise":{"of":"\#(of)","excluding":[\#(list)]}"#
            case .condition(let from, let when, let then, let otherwise):
                let sides =
                    (then.map { #","then":"\#($0)""# } ?? "") + (otherwise.map { #","else":"\#($0)""# } ?? "")
                return #""if":{"from":"\#(from)","when":"\#(when.text)"\#(sides)}"#
            case .side: return ""
            }
        }
    }

    enum Figure: String, CaseIterable {
        case avg, sum, min, max, count, first, last, rate, p50, p95, p99, list
    }

    enum Edge: String, CaseIterable {
        case trailing, leading, both
    }

    enum Stage {
        case map(Expression)
        case replace(Value)
        case ifEmpty(Value)
        case filter(Expression)
        case ignore(Value)
        case select(Value)
        case ignoreNull
        case distinct(by: Expression?)
        case delta
        case skip(Int)
        case take(Int)
        case prefix(Int)
        case scan(start: Value, with: Expression)
        case windowOf(count: Int, Figure)
        case windowOver(milliseconds: Int, Figure)
        case debounce(Int, Edge)
        case sample(Int, Edge)
        case delay(Int)

        var isForgetful: Bool {
            switch self {
            case .map, .replace, .ifEmpty: true
            default: false
            }
        }

        /// Whether it waits for the clock.
        var isTimed: Bool {
            switch self {
            case .windowOver, .debounce, .sample, .delay: true
            default: false
            }
        }

        /// Whether every client pipeline has one of its own (docs/protocol.md, sub).
        var isPrivate: Bool {
            switch self {
            case .skip, .take, .prefix, .scan, .windowOf, .windowOver: true
            default: false
            }
        }

        var json: String {
            switch self {
            case .map(let expression): #"{"map":"\#(expression.text)"}"#
            case .replace(let value): #"{"replace":\#(value.json)}"#
            case .ifEmpty(let value): #"{"ifEmpty":\#(value.json)}"#
            case .filter(let expression): #"{"filter":"\#(expression.text)"}"#
            case .ignore(let value): #"{"ignore":\#(value.json)}"#
            case .select(let value): #"{"select":\#(value.json)}"#
            case .ignoreNull: #""ignoreNull""#
            case .distinct(let key): key.map { #"{"distinct":"\#($0.text)"}"# } ?? #""distinct""#
            case .delta: #""delta""#
            case .skip(let count): #"{"skip":\#(count)}"#
            case .take(let count): #"{"take":\#(count)}"#
            case .prefix(let count): #"{"prefix":\#(count)}"#
            case .scan(let start, let with): #"{"scan":{"start":\#(start.json),"with":"\#(with.text)"}}"#
            case .windowOf(let count, let figure):
                #"{"window":{"count":\#(count),"of":"\#(figure.rawValue)"}}"#
            case .windowOver(let span, let figure):
                #"{"window":{"last":\#(span),"of":"\#(figure.rawValue)"}}"#
            case .debounce(let span, let edge):
                edge == .trailing
                    ? #"{"debounce":\#(span)}"# : #"{"debounce":{"for":\#(span),"edge":"\#(edge.rawValue)"}}"#
            case .sample(let span, let edge):
                edge == .trailing
                    ? #"{"sample":\#(span)}"# : #"{"sample":{"every":\#(span),"edge":"\#(edge.rawValue)"}}"#
            case .delay(let span): #"{"delay":\#(span)}"#
            }
        }
    }
}
