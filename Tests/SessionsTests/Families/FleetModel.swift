@testable import Graphs
@testable import Sessions

/// What the rules say of a graph with families and of its clients, in sets and dictionaries: which
/// members live (F-3, F-4), which of them globs mean (F-3, F-6), and which subscriptions there are
/// (O-1 to O-4, K-1).
struct FleetModel {
    /// What the definition has besides what it always has.
    struct Parts: OptionSet, Hashable {
        let rawValue: Int
        /// `p.{id}`, and `e.{id}` that is made from it.
        static let pairs = Parts(rawValue: 1)
        /// `k.{id}`, kept until pressure.
        static let cached = Parts(rawValue: 2)
        /// `q.{id}`, which is set and goes under pressure.
        static let spare = Parts(rawValue: 4)
        /// `keeper`, which is always there and needs `s.k`.
        static let keeper = Parts(rawValue: 8)
        /// `s.a`, declared in the place of the member of that name.
        static let named = Parts(rawValue: 16)
        /// `chosen`, which follows the `d.{id}` that `key` names.
        static let follower = Parts(rawValue: 32)
    }

    /// The holder of a subscription: owners of a connection, or the server for some time.
    enum Holder: Hashable {
        /// Named owners; none: the connection itself.
        case owners(client: Int, Set<String>)
        case kept(until: UInt64)
    }

    /// What a client has asked for.
    enum Target: Hashable {
        case node(String)
        case piped(String)
        /// Names that are there, and globs.
        case group(names: Set<String>, globs: [String], asked: Set<String>)
        case all(String)
    }

    struct Key: Hashable {
        let client: Int
        let id: Int
    }

    struct Sub {
        var target: Target
        var holder: Holder
        var keeps = false
    }

    static let expire: UInt64 = 1_000
    static let keep: UInt64 = 400
    static let ids = ["a", "b", "h", "k"]

    var parts: Parts
    var now: UInt64 = 0
    private(set) var values: [String: Int] = ["x": 1]
    /// What `key` holds.
    var key = ids[0]
    private var due: [String: UInt64] = [:]
    /// When the node that a definition may declare was set.
    private var namedSetAt: UInt64 = 0
    /// Derived members that are kept for later.
    private(set) var held: Set<String> = []
    /// Whether `sum` lives and was built again, so that its node follows another one.
    private var isSumRebuilt = false
    var subs: [Key: Sub] = [:]

    init(_ parts: Parts) {
        self.parts = parts
    }

    var definition: String {
        var nodes = [
            #""x":{"set":"any","initial":1}"#, #""s.{id}":{"set":"any","expire":"\#(Self.expire)ms"}"#,
            #""d.{id}":{"from":"s.{id}","pipe":[{"map":"value + 1"}]}"#, #""hall":{"from":"s.h"}"#,
            #""sum":{"all":"s.*","reduce":"sum"}"#,
        ]
        if parts.contains(.named) { nodes.append(#""s.a":{"set":"any"}"#) }
        if parts.contains(.pairs) {
            nodes += [#""p.{id}":{"set":"any"}"#, #""e.{id}":{"combine":{"a":"d.{id}","b":"p.{id}"}}"#]
        }
        if parts.contains(.cached) {
            nodes.append(#""k.{id}":{"from":"d.{id}","pipe":[{"map":"-value"}],"retain":"untilPressure"}"#)
        }
        if parts.contains(.spare) { nodes.append(#""q.{id}":{"set":"any","retain":"untilPressure"}"#) }
        if parts.contains(.keeper) { nodes.append(#""keeper":{"from":"s.k","retain":"always"}"#) }
        if parts.contains(.follower) {
            nodes += [
                #""key":{"set":"string","initial":"\#(Self.ids[0])"}"#,
                #""chosen":{"flatten":{"from":"key","node":"d.{value}"}}"#,
            ]
        }
        return #"{"graph":"g","nodes":{\#(nodes.joined(separator: ","))}}"#
    }

    // MARK: - Names

    var mutableFamilies: [String] {
        ["s"] + (parts.contains(.pairs) ? ["p"] : []) + (parts.contains(.spare) ? ["q"] : [])
    }

    private var derivedFamilies: [String] {
        ["d"] + (parts.contains(.pairs) ? ["e"] : []) + (parts.contains(.cached) ? ["k"] : [])
    }

    var families: [String] { mutableFamilies + derivedFamilies }
    var declared: Set<String> {
        Set(["x", "hall", "sum"]).union(parts.contains(.keeper) ? ["keeper"] : [])
            .union(parts.contains(.follower) ? ["key", "chosen"] : []).union(standIns)
    }
    /// Declared nodes in the place of members (F-2).
    var standIns: Set<String> { parts.contains(.named) ? ["s.a"] : [] }
    private func exists(_ name: String) -> Bool {
        declared.contains(name) || families.contains(String(Self.split(name).family))
    }

    func isMember(_ name: String) -> Bool { name.contains(".") && !standIns.contains(name) }

    private static func split(_ name: String) -> (family: Substring, id: Substring) {
        (name.prefix { $0 != "." }, name.drop { $0 != "." }.dropFirst())
    }

    func inputs(_ name: String) -> [String] {
        let (family, id) = Self.split(name)
        switch family {
        case "d": return ["s.\(id)"]
        case "e": return ["d.\(id)", "p.\(id)"]
        case "k": return ["d.\(id)"]
        case "hall": return ["s.h"]
        case "chosen": return ["key", "d.\(key)"]
        case "keeper": return ["s.k"]
        case "sum": return meant(by: "s.*").sorted()
        default: return []
        }
    }

    /// The members that globs mean.
    var visible: Set<String> {
        var visible = Set(values.keys.filter(isMember))
        for family in derivedFamilies {
            for id in Self.ids where isMade("\(family).\(id)") { visible.insert("\(family).\(id)") }
        }
        return visible
    }

    private func isMade(_ name: String) -> Bool {
        let inputs = inputs(name)
        if inputs.isEmpty { return values[name] != nil || standIns.contains(name) }
        return inputs.allSatisfy(isMade)
    }

    /// The nodes that a glob means: `s.*`, `*.a` or `*`.
    func meant(by glob: String) -> Set<String> {
        visible.union(declared).filter { name in
            glob == "*" || (glob.hasPrefix("*") && name.hasSuffix(glob.dropFirst()))
                || (glob.hasSuffix("*") && name.hasPrefix(glob.dropLast()))
        }
    }

    /// What a subscription listens to, of a pipeline what that is made from.
    func nodes(of target: Target) -> Set<String> {
        switch target {
        case .node(let name), .piped(let name): [name]
        case .group(let names, let globs, _): globs.reduce(names) { $0.union(meant(by: $1)) }
        case .all(let glob): meant(by: glob)
        }
    }

    // MARK: - What lives

    private func closure(
        of roots: Set<String>,
        through passes: (String) -> Bool = { _ in true }
    ) -> Set<String> {
        var open = Array(roots)
        var seen: Set<String> = []
        while let name = open.popLast() {
            if seen.insert(name).inserted, passes(name) { open += inputs(name) }
        }
        return seen
    }

    /// The nodes that live.
    var living: Set<String> {
        var roots = Set(values.keys).union(held).union(["x"]).union(standIns)
        if parts.contains(.keeper) { roots.insert("keeper") }
        if parts.contains(.follower) { roots.formUnion(["key", "chosen"]) }
        for sub in subs.values { roots.formUnion(nodes(of: sub.target)) }
        return closure(of: roots)
    }

    /// The names that are used directly, or through a node other than an `all` (F-4).
    private var needed: Set<String> {
        var roots: Set<String> = parts.contains(.keeper) ? ["keeper"] : []
        if parts.contains(.follower) { roots.insert("chosen") }
        for sub in subs.values {
            switch sub.target {
            case .node(let name), .piped(let name): roots.insert(name)
            case .group(let names, _, _): roots.formUnion(names)
            case .all: break
            }
        }
        return closure(of: roots) { $0 != "sum" }
    }

    /// What a living node holds.
    func value(of name: String) -> String? {
        let (family, id) = Self.split(name)
        switch family {
        case "d": return values["s.\(id)"].map { "\($0 + 1)" }
        case "k": return values["s.\(id)"].map { "\(-($0 + 1))" }
        case "e":
            guard let s = values["s.\(id)"], let p = values["p.\(id)"] else { return nil }
            return #"{"a":\#(s + 1),"b":\#(p)}"#
        case "hall": return values["s.h"].map { "\($0)" }
        case "keeper": return values["s.k"].map { "\($0)" }
        case "key": return "\"\(key)\""
        case "chosen": return value(of: "d.\(key)")
        case "sum": return "\(meant(by: "s.*").reduce(0) { $0 + (values[$1] ?? 0) })"
        default: return values[name].map { "\($0)" }
        }
    }

    /// How many nodes, edges and listeners the graph has.
    var counts: [Int] {
        let living = living
        var (nodes, edges, listeners) = (living.count, 0, 0)
        // What a node follows is no edge.
        for name in living { edges += inputs(name).count - (name == "chosen" ? 1 : 0) }
        if isSumRebuilt { (nodes, edges) = (nodes + 1, edges + 1) }
        var chains: Set<Target> = []
        for sub in subs.values {
            switch sub.target {
            case .node: listeners += 1
            case .group: listeners += self.nodes(of: sub.target).count
            case .piped, .all:
                listeners += 1
                guard chains.insert(sub.target).inserted else { continue }
                nodes += 1
                edges += self.nodes(of: sub.target).count
                // A count is made in two steps, of which the first is hidden.
                if case .all = sub.target { edges += 1 }
            }
        }
        return [nodes, edges, listeners]
    }

    /// What names and globs are followed as they come and go: those of groups and of `all`.
    var watched: Int {
        let chains = Set(subs.values.compactMap { if case .all(let glob) = $0.target { glob } else { nil } })
        return 1 + chains.count
            + subs.values.reduce(0) { count, sub in
                if case .group(_, let globs, let asked) = sub.target {
                    count + globs.count + asked.count
                } else {
                    count
                }
            }
    }

    // MARK: - What happens

    /// A node is asked for by its name, or by a glob: from then on it is kept, if it is to be kept.
    mutating func ask(for names: Set<String>) {
        let visible = visible
        for name in names where name.hasPrefix("k.") && visible.contains(name) { held.insert(name) }
    }

    /// The members that globs mean are others than `former`.
    private mutating func settle(since former: Set<String>, _ living: Set<String>) {
        let visible = visible
        held.formIntersection(visible)
        // Those that live become ones that are kept; those that a glob means are asked for.
        let came = visible.subtracting(former)
        for name in came { rejoin(name) }
        ask(for: came.intersection(living))
        for sub in subs.values {
            switch sub.target {
            case .group, .all: ask(for: nodes(of: sub.target).intersection(came))
            default: break
            }
        }
    }

    mutating func set(_ new: [(name: String, value: Int)], clear: [String] = []) {
        let (former, living) = (visible, living)
        for (name, value) in new {
            values[name] = value
            if name.hasPrefix("s."), isMember(name) { due[name] = now + Self.expire }
            if name == "s.a" { namedSetAt = now }
        }
        for name in clear {
            values[name] = nil
            due[name] = nil
        }
        settle(since: former, living)
    }

    /// A node comes back to those who have asked for its name.
    private mutating func rejoin(_ name: String) {
        for (key, sub) in subs {
            guard case .group(var names, let globs, let asked) = sub.target, asked.contains(name) else {
                continue
            }
            names.insert(name)
            subs[key]?.target = .group(names: names, globs: globs, asked: asked)
        }
    }

    /// Members are dropped.
    mutating func drop(_ names: Set<String>) {
        let (former, living) = (visible, living)
        for name in names {
            values[name] = nil
            due[name] = nil
        }
        end(subsTo: names)
        settle(since: former, living)
    }

    /// Nodes are no more: so are the subscriptions to them.
    private mutating func end(subsTo gone: Set<String>) {
        for (key, sub) in subs {
            switch sub.target {
            case .node(let name), .piped(let name): if gone.contains(name) { subs[key] = nil }
            case .group(let names, let globs, let asked):
                let left = names.subtracting(gone)
                subs[key]?.target = .group(names: left, globs: globs, asked: asked)
                if left.isEmpty, globs.isEmpty { subs[key] = nil }
            case .all: break
            }
        }
    }

    /// So much time passes: what was kept for long enough goes, and what has expired then is
    /// dropped.
    mutating func pass(_ milliseconds: UInt64) {
        now += milliseconds
        subs = subs.filter { if case .kept(let until) = $1.holder { until > now } else { true } }
        let needed = needed
        var gone: Set<String> = []
        for (name, time) in due where time <= now {
            if needed.contains(name) { due[name] = now + Self.expire } else { gone.insert(name) }
        }
        drop(gone)
    }

    /// Memory is short.
    ///
    /// - Parameter isAll: whether chains are released too.
    mutating func press(all isAll: Bool) {
        if isAll { subs = subs.filter { if case .kept = $1.holder { false } else { true } } }
        drop(Set(values.keys.filter { $0.hasPrefix("q.") }).subtracting(needed))
        held = []
    }

    /// The definition is another one.
    mutating func redefine(_ new: Parts) {
        let (former, living, before) = (visible, living, declared)
        if new.contains(.follower), !parts.contains(.follower) { key = Self.ids[0] }
        parts = new
        // Names that have no node at the moment are known to those who asked for them.
        var known = before.union(living).union(values.keys)
        for sub in subs.values { known.formUnion(nodes(of: sub.target)) }
        let gone = known.filter { !exists($0) }
        for name in gone { values[name] = nil }
        for name in ["s.a"] where declared.contains(name) != before.contains(name) {
            // Its time began when it was set.
            due[name] = isMember(name) && values[name] != nil ? namedSetAt + Self.expire : nil
            // What declared nodes it joins has changed.
            if living.contains("sum") { isSumRebuilt = true }
        }
        end(subsTo: gone)
        for name in declared.subtracting(before) { rejoin(name) }
        settle(since: former, living)
    }

    /// A step has been taken.
    mutating func endStep() {
        if !living.contains("sum") { isSumRebuilt = false }
    }

    // MARK: - Owners

    /// A connection ends.
    mutating func close(_ client: Int) {
        for (key, sub) in subs where key.client == client {
            guard case .owners = sub.holder else { continue }
            if sub.keeps { subs[key]?.holder = .kept(until: now + Self.keep) } else { subs[key] = nil }
        }
    }

    /// The owners of a subscription are others.
    mutating func change(_ key: Key, adding: Set<String>, removing: Set<String>) {
        guard case .owners(let client, let names)? = subs[key]?.holder else { return }
        var left = names.union(adding).subtracting(removing)
        // The connection owns what has no named owner; once others own it as well it is one of
        // them.
        if names.isEmpty { left.insert("") }
        subs[key] = left.isEmpty ? nil : subs[key]
        subs[key]?.holder = .owners(client: client, left == [""] ? [] : left)
    }

    /// An owner releases all it has.
    ///
    /// - Returns: the subscriptions that end.
    mutating func release(_ owner: String, of client: Int) -> Set<Int> {
        var ended: Set<Int> = []
        for (key, sub) in subs where key.client == client {
            guard case .owners(_, let names) = sub.holder, names.contains(owner) else { continue }
            change(key, adding: [], removing: [owner])
            if subs[key] == nil { ended.insert(key.id) }
        }
        return ended
    }
}
