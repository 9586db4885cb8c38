public import ReactiveGraph

/// Named nodes under the rules of retention: those of a registry of the library, or those of a
/// graph that a server runs.
///
/// There are these names: `x` can be set and holds 1; `loose` is x, `sum` is the running sum of
/// what x held while it lived, `more` is made from sum, `fixed` is x, and `k0` … `k3` are x.
/// `loose` is kept `whileInUse`, `x` and `fixed` `always`, all others `untilPressure`. `fixed`
/// lives from the start.
public protocol RetainedNames: AnyObject {
    /// A fresh world, in which `limit` nodes are kept until pressure before there is one more.
    init(limit: Int)
    /// Sets x.
    func set(_ value: Int)
    /// Looks a name up, and reads it.
    func read(_ name: String) -> Int?
    /// Listens to a name until the function that is returned is called.
    func listen(_ name: String) -> () -> Void
    /// Another policy for a name.
    func retain(_ name: String, _ retention: Retention)
    /// Takes a name out.
    func remove(_ name: String)
    /// Pressure.
    func flush()
    /// The number of a name's living node, if it has one; no look-up.
    func number(of name: String) -> UInt64?
    /// How many nodes are alive, those without names included.
    var nodes: Int { get }
}

/// What holds for every ``RetainedNames``: each returns what does not.
public struct RetentionRules<Names: RetainedNames> {
    private static var names: [String] { ["x", "loose", "sum", "more", "fixed", "k0", "k1", "k2", "k3"] }

    private let world: Names
    private var complaints: [String] = []

    private init(limit: Int = 100) {
        world = Names(limit: limit)
    }

    private mutating func expect(_ living: String..., when: String) {
        let found = Self.names.filter { world.number(of: $0) != nil }
        if found != Self.names.filter((living + ["x", "fixed"]).contains) {
            complaints.append("\(when): \(found) live")
        }
    }

    private mutating func expect(_ name: String, is value: Int?, when: String) {
        let found = world.read(name)
        if found != value { complaints.append("\(when): \(name) is \(String(describing: found))") }
    }

    private mutating func expect(_ condition: Bool, _ complaint: String) {
        if !condition { complaints.append(complaint) }
    }

    private static func run(limit: Int = 100, _ body: (inout Self, Names) -> Void) -> [String] {
        var rules = Self(limit: limit)
        body(&rules, rules.world)
        return rules.complaints
    }

    /// G-126: a node with a listener lives.
    public static func listened() -> [String] {
        run { rules, world in
            let end = world.listen("loose")
            rules.expect("loose", when: "listened to")
            world.flush()
            rules.expect("loose", when: "listened to, after a flush")
            world.set(7)
            rules.expect("loose", is: 7, when: "listened to")
            end()
            rules.expect(when: "after the last listener")
        }
    }

    /// G-127: at most one node per name, the same while anything holds it.
    public static func one() -> [String] {
        run { rules, world in
            for name in names {
                let ends = [world.listen(name), world.listen(name)]
                let number = world.number(of: name)
                _ = world.read(name)
                world.flush()
                _ = world.read(name)
                rules.expect(number != nil && world.number(of: name) == number, "\(name) is another node")
                for end in ends { end() }
            }
        }
    }

    /// G-128, G-129: what each policy keeps.
    public static func policies() -> [String] {
        run { rules, world in
            let before = world.nodes
            rules.expect(when: "at first")
            for name in names { _ = world.read(name) }
            rules.expect("sum", "more", "k0", "k1", "k2", "k3", when: "read")
            world.flush()
            rules.expect(when: "flushed")
            rules.expect(world.nodes == before, "\(world.nodes - before) nodes are left")
        }
    }

    /// G-129: another policy holds from now on.
    public static func change() -> [String] {
        run { rules, world in
            _ = world.read("sum")
            world.retain("sum", .always)
            world.flush()
            rules.expect("sum", when: "always")
            world.retain("sum", .untilPressure)
            rules.expect("sum", when: "until pressure")
            world.retain("sum", .whileInUse)
            rules.expect(when: "while in use")
            world.retain("sum", .untilPressure)
            _ = world.read("sum")
            world.set(2)
            world.flush()
            rules.expect(when: "flushed")
        }
    }

    /// G-130: survivors keep their values, and are held again from their next look-up on.
    public static func survivors() -> [String] {
        run { rules, world in
            var end = world.listen("sum")
            world.set(5)
            world.flush()
            end()
            rules.expect(when: "not looked up again")
            end = world.listen("sum")
            world.set(2)
            world.flush()
            rules.expect("sum", is: 7, when: "survived")
            end()
            rules.expect("sum", when: "looked up again")
            rules.expect("sum", is: 7, when: "looked up again")
            world.flush()
            rules.expect(when: "flushed")
        }
    }

    /// G-130: all references are given up at once, so what is needed only by another one goes.
    public static func together() -> [String] {
        run { rules, world in
            _ = world.read("more")
            rules.expect("sum", "more", when: "read")
            let end = world.listen("more")
            world.flush()
            rules.expect("sum", "more", when: "in use")
            end()
            rules.expect(when: "not in use")
            _ = world.read("sum")
            _ = world.read("more")
            world.flush()
            rules.expect(when: "flushed")
        }
    }

    /// G-131: the soft limit.
    public static func limit() -> [String] {
        run(limit: 2) { rules, world in
            _ = world.read("k0")
            _ = world.read("k1")
            _ = world.read("k0")
            rules.expect("k0", "k1", when: "at the limit")
            _ = world.read("k2")
            rules.expect("k2", when: "one more")
            let ends = ["k0", "k1", "k3"].map(world.listen)
            rules.expect("k0", "k1", "k3", when: "those in use are not evicted")
            for end in ends { end() }
        }
    }

    /// G-133a: a name that was taken out is made anew.
    public static func removed() -> [String] {
        run { rules, world in
            _ = world.read("sum")
            world.set(4)
            rules.expect("sum", is: 5, when: "kept")
            world.remove("sum")
            rules.expect(when: "removed")
        }
    }

    /// G-134: a node that is kept keeps all that it is made from; released, it is made anew.
    public static func anew() -> [String] {
        run { rules, world in
            let before = world.nodes
            _ = world.read("more")
            rules.expect(world.nodes > before + 1, "more has no upstream of its own")
            world.set(5)
            rules.expect("sum", is: 6, when: "kept by more")
            world.flush()
            rules.expect(world.nodes == before, "\(world.nodes - before) nodes are left")
            rules.expect("sum", is: 5, when: "made anew")
        }
    }
}
