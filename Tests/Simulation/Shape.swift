import TestSupport

/// Random definitions around some nodes that are always there.
///
/// About those more can be said: `p` and `q` are only set together and alike, so `half` is always
/// true; `x` is anything, `here` stands for sessions, `brief` does not last, and `far` is a source.
struct Shape {
    static let plain = ["p", "q", "x"]
    static let fixed = ["p", "q", "x", "here", "brief", "half", "far"]

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
            + #""half":{"combine":["p","q"],"map":"value[0] == value[1]"}\#(members)}}"#
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
