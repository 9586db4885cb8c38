@testable import Definitions
@testable import Graphs
@testable import Sessions

/// What the tests of client pipelines share.
enum PipelineGraph {
    static let text = """
        {"graph": "g", "nodes": {
          "x": {"set": "any", "initial": 1}, "y": {"set": "any", "initial": 2},
          "double": {"from": "x", "pipe": [{"map": "value * 2"}]}
        }}
        """

    /// A stage that passes numbers on, at a cost of some 9 units for each of `count` elements.
    static func expensive(_ count: Int, _ salt: Int = 0) -> String {
        #"{"map":"value + 0 * lists.range(\#(count)).map(i, i + value + \#(salt)).size()"}"#
    }
}

extension Access {
    /// A principal of that name with the customary rights.
    static func principal(_ name: String) -> Access {
        Access(Principal(name: name, grants: [Principal.Grant(can: .customary)]))
    }
}

extension Client {
    /// Subscribes to a node of the graph `g` through a pipeline; `more` are further fields, each
    /// after a comma.
    @discardableResult
    func subscribe(_ id: Int, _ pipe: String, _ more: String = "", to node: String = "x") -> [String] {
        ask(#"{"op":"sub","id":\#(id),"graph":"g","node":"\#(node)","pipe":\#(pipe)\#(more)}"#)
    }
}

extension [String] {
    /// What these messages say of subscription `id`, update by update: `"v":5,"n":2`.
    func updates(of id: Int = 1) -> [String] {
        filter { $0.hasPrefix(#"{"op":"upd""#) }.flatMap { message in
            message.split(separator: #"{"id":\#(id),"#).dropFirst().map { part in
                String(part.prefix { $0 != "}" })
            }
        }
    }
}

extension String {
    /// How many emissions an update stands for.
    var folded: Int {
        guard let place = firstRange(of: #","n":"#) else { return 1 }
        return Int(self[place.upperBound...].prefix(while: \.isNumber)) ?? 0
    }
}
