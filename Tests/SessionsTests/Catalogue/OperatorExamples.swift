@testable import Definitions
@testable import Graphs
@testable import Sessions
import Testing

/// Uses of each operator of the catalogue: nodes made of `$x` and `$y`, and after a bar what else
/// stands in the graph.
///
/// The first use of a stage is the example of its row.
enum OperatorExamples {
    /// Uses of every operator by its name.
    static let all: [String: [String]] = Dictionary(
        uniqueKeysWithValues: Catalogue.standard.all.map { row in
            (row.name, (row.isStage ? [stage(row.example)] : []) + further[row.name, default: []])
        }
    )

    /// Uses of sources and sections, and further forms of stages.
    ///
    /// Of 1, 2, 3 and so on they pass a new value each time, so that failures and emptiness differ
    /// from values that stay.
    private static let further: [String: [String]] = [
        "from": [#""out":{"from":"$x"}"#],
        "map": [stage(#"{"map":"{'v': value, 't': string(time)}"}"#)],
        "combine": [
            #""out":{"combine":["$x","$y"]}"#,
            #""out":{"combine":{"a":"$x","b":"$y"},"map":"[a, b, string(time)]"}"#,
            #""out":{"combine":["$x","$x"],"map":"value[1]"}"#,
        ],
        "distinct": [stage(#"{"distinct":"string(value)"}"#)],
        "all": [
            #""out":{"all":"$x*","reduce":"max"}"#,
            #""out":{"all":"$x*","reduce":"avg","map":"[value, string(time)]"}"#,
        ],
        "merge": [#""out":{"merge":["$x","$y"]}"#, #""out":{"merge":["$y","$x","$y"]}"#],
        "flatten": [
            #""out":{"flatten":{"from":"$x","to":{"1":"$y","2":"$x"},"otherwise":"$x"}}"#,
            #""out":{"flatten":{"from":"$y","to":{"1":"$x"}}}"#,
        ],
        "switch": [#""out":{"switch":{"from":"$x","by":"value"}}"#],
        "case": [
            #""s":{"switch":{"from":"$x","by":"value == 1 ? null : 'k'"}},"out":{"case":{"of":"s","key":"k"}}"#
        ],
        "default": [
            #""s":{"switch":{"from":"$x","by":"value == 1 ? 'k' : null"}},"out":{"default":{"of":"s"}}"#
        ],
        "otherwise": [
            #""s":{"switch":{"from":"$x","by":"value == 1 ? null : 'k'"}},"out":{"otherwise":{"of":"s","excluding":[null]}}"#
        ],
        "if": [#""out":{"if":{"from":"$x","when":"value == 1","then":"t","else":"e"}}"#],
        "schedule": [#""out":{"schedule":"0 22 * * *"}"#],
        "between": [#""out":{"between":["22:00","06:00"]}"#],
        "scan": [stage(#"{"scan":{"start":[],"with":"size(acc) > 4 ? [value] : acc + [value, index]"}}"#)],
        "zip": [#""out":{"zip":["$x","$y"]}"#, #""out":{"zip":["$y","$x"],"map":"value[1]","buffer":3}"#],
        "window": [
            stage(#"{"window":{"count":3,"of":"list"}}"#), stage(#"{"window":{"last":150,"of":"list"}}"#),
            stage(#"{"window":{"last":150,"of":"count"}}"#), stage(#"{"window":{"count":2,"of":"first"}}"#),
        ],
        "debounce": [
            stage(#"{"throttle":{"for":10,"edge":"both"}}"#),
            stage(#"{"debounce":{"for":10,"edge":"leading"}}"#),
        ],
        "sync": [
            #""out":{"set":"any"}|"sync":[{"a":"out","b":"$x"}]"#,
            #""out":{"set":"any"}|"sync":[{"a":"out","b":"$x","to_a":"[value]","to_b":"value[0]"}]"#,
        ],
        "links": [
            #""out":{"merge":["$y"]}|"links":[{"from":"$x","to":"out"}]"#,
            #""out":{"from":"$y"},"end":{"set":"any"}|"links":[{"from":"$x","to":"out","pipe":[{"map":"[value]"}]},{"from":"out","to":"end"}]"#,
        ],
    ]

    private static func stage(_ stage: String) -> String {
        #""out":{"from":"$x","pipe":[\#(stage)]}"#
    }

    /// A graph `g` of `inputs` and one example, of which `$x` and `$y` are the inputs `x` and `y`.
    static func graph(_ example: String, inputs: String, x: String, y: String) -> String {
        let parts = example.replacing("$x", with: x).replacing("$y", with: y).split(separator: "|")
        return #"{"graph":"g","nodes":{\#(inputs),\#(parts[0])}\#(parts.count > 1 ? ",\(parts[1])" : "")}"#
    }

    /// The stage of an example that has one, for pipelines of clients.
    static func stageText(_ example: String) -> Substring? {
        guard let start = example.range(of: #""pipe":["#), example.hasSuffix("]}"), !example.contains("|")
        else { return nil }
        return example[start.upperBound...].dropLast(2)
    }

    /// Examples of operators that make a node: all but `sync` and `links`.
    static var nodes: [String] {
        all.filter { $0.key != "sync" && $0.key != "links" }.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// All examples, in the order of the catalogue; an operator without one fails the test that
    /// asks.
    static func inOrder() throws -> [(row: OperatorRow, example: String)] {
        try Catalogue.standard.all.flatMap { row in
            let examples = all[row.name, default: []]
            try #require(!examples.isEmpty, "no example of \(row.name)")
            return examples.map { (row, $0) }
        }
    }
}

extension String {
    /// The first place of a text in this one.
    fileprivate func range(of text: String) -> Range<Index>? {
        ranges(of: text).first
    }
}
