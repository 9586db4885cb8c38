import Commits
import TestSupport

/// Random definitions around some nodes that are always there.
///
/// About those more can be said: `p` and `q` are only set together and alike, so `half` is always
/// true; `x` is anything, `here` stands for sessions, `brief` does not last, and `far` is a source.
/// Of the accounts only transfers change any, so `even` is always true. Links lead to those of
/// `linked`, which nothing depends on.
struct Shape {
    static let accounts = ["m1", "m2", "m3"]
    static let linked = ["l1", "l2", "l3", "l4"]
    static let truths = ["half", "even"]
    static let plain = ["p", "q", "x"] + accounts + linked
    static let fixed = plain + ["here", "brief", "far"] + truths

    /// The accounts and the linked nodes, as members of a definition.
    static let members =
        (accounts.map { #""\#($0)":{"set":"number","initial":0}"# }
        + linked.map { #""\#($0)":{"set":"any"}"# })
        .joined(separator: ",")
        + #","even":{"combine":["m1","m2","m3"],"map":"value[0] + value[1] + value[2] == 0"}"#

    /// Whether a commit sets or clears linked nodes.
    static func touchesLinked(_ entry: LogEntry) -> Bool {
        (entry.set.map(\.node) + entry.clear).contains { linked.contains($0) }
    }

    private(set) var derived: [(name: String, text: String)] = []

    init(_ dice: inout SeededGenerator) {
        for _ in 0..<(1 + dice.below(4)) { add(&dice) }
    }

    var names: [String] { Self.fixed + derived.map(\.name) }

    func json(of graph: String) -> String {
        let members = derived.map { #","\#($0.name)":\#($0.text)"# }.joined()
        return
            #"{"graph":"\#(graph)","mode":"settled","upstreams":{"u":{"url":"http://u.example"}},"nodes":{"p":{"set":"any","initial":0},"q":{"set":"any","initial":0},"#
            + #""x":{"set":"any","initial":0,"history":5},"here":{"set":"any"},"brief":{"set":"any","ttl":"3s"},"#
            + #""far":{"source":{"get":"u:/far"},"fresh":"2s"},"#
            + #""half":{"combine":["p","q"],"map":"value[0] == value[1]"},\#(Self.members)\#(members)}}"#
    }

    mutating func change(_ dice: inout SeededGenerator) {
        if dice.chance(1, in: 2) || derived.isEmpty {
            add(&dice)
        } else if dice.chance(1, in: 2) {
            derived.removeLast()
        } else {
            derived[derived.count - 1].text = text(below: derived.count - 1, &dice)
        }
    }

    private mutating func add(_ dice: inout SeededGenerator) {
        derived.append(("d\(derived.count + 1)", text(below: derived.count, &dice)))
    }

    /// A random transfer between accounts.
    static func transfer(_ dice: inout SeededGenerator) -> SetRequest.Transfer {
        let place = dice.below(3)
        let other = (place + 1 + dice.below(2)) % 3
        return SetRequest.Transfer(
            from: accounts[place],
            to: accounts[other],
            amount: 1 + dice.below(9),
            isCovered: dice.chance(1, in: 2)
        )
    }

    /// A random link, among the nodes that are always there or from one of `names`.
    static func link(in graph: String, from names: [String], _ dice: inout SeededGenerator) -> Peer.Link {
        let place = dice.below(4)
        let (from, to) = (linked[place], linked[(place + 1 + dice.below(3)) % 4])
        let owner = dice.chance(1, in: 3) ? "part" : nil
        if dice.chance(1, in: 3) {
            return Peer.Link(graph: graph, from: from, to: to, isSync: true, owner: owner)
        }
        let pipes = ["", "", "", #"{"filter":"value != 2"}"#, #""distinct""#, #"{"delay":20}"#]
        let pipe = pipes[dice.below(pipes.count)]
        return Peer.Link(
            graph: graph,
            from: dice.chance(1, in: 3) ? names[dice.below(names.count)] : from,
            to: to,
            isSync: false,
            pipe: pipe.isEmpty ? "" : #","pipe":[\#(pipe)]"#,
            owner: owner
        )
    }

    /// Made from nodes in front of it only.
    private func text(below place: Int, _ dice: inout SeededGenerator) -> String {
        let inputs = ["p", "x", "brief", "here", "far"] + derived[..<place].map(\.name)
        let retain = ["", "", #","retain":"always""#, #","retain":"always""#, #","retain":"untilPressure""#][
            dice.below(5)
        ]
        if dice.chance(1, in: 4) {
            let two = [inputs[dice.below(inputs.count)], inputs[dice.below(inputs.count)]]
            return
                #"{"combine":["\#(two[0])","\#(two[1])"],"map":"string(value[0]) + string(value[1])"\#(retain)}"#
        }
        let stages = [
            #""distinct""#, #"{"scan":{"start":0,"with":"acc + 1"}}"#,
            #"{"window":{"count":3,"of":"count"}}"#,
            #"{"window":{"last":700,"of":"count"}}"#, #"{"delay":150}"#, #"{"debounce":90}"#,
            #"{"sample":400}"#, #"{"skip":1}"#,
            #"{"ifEmpty":1}"#, #"{"map":"[value]"}"#, #""delta""#, #"{"filter":"value != 2"}"#,
        ]
        let pipe = (0...dice.below(3)).map { _ in stages[dice.below(stages.count)] }.joined(separator: ",")
        return #"{"from":"\#(inputs[dice.below(inputs.count)])","pipe":[\#(pipe)]\#(retain)}"#
    }
}
