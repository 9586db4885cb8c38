@testable import GraphHost

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
