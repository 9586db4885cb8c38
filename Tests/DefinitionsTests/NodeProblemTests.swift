import Definitions
import Testing

@Suite("Everything that can be wrong with a node is reported with its place and a hint")
struct NodeProblemTests {
    private func check(_ nodes: String, _ messages: [String]) throws {
        let marked = Marked(#"{"graph": "g", "nodes": {"x": {"set": "any"}, \#(nodes)}}"#)
        #expect(try marked.found() == marked.expected(messages))
    }

    private static let kinds = "any, number, integer, string, boolean, object, array"
    private static let nameHint = "1 to 128 letters, digits, '_', '.' and '-', not starting with '.' or '-'"
    private static let historyHint =
        "a whole number from 0 to 100000 (or write history: { for: 7d, every: 1m })"
    private static let spanHint =
        "write 250ms, 5s, 2m, 1h, 7d, or whole milliseconds; more than zero and at most a year"

    @Test(
        "keys that are unknown, twice, or not for this kind of node",
        arguments: [
            (#""a": {"set": "any", ¦"titel": "x"}"#, "unknown key 'titel' of a node (did you mean 'title'?)"),
            (#""a": {"set": "any", ¦"titl": "x"}"#, "unknown key 'titl' of a node (did you mean 'title'?)"),
            (#""a": {"from": "x", ¦"pip": []}"#, "unknown key 'pip' of a node (did you mean 'pipe'?)"),
            (#""a": {"set": "any", ¦"colour": "x"}"#, "unknown key 'colour' of a node"),
            (
                #""a": {"from": "x", ¦"filter": "true"}"#,
                "unknown key 'filter' of a node ('filter' is a stage: write it in a pipe)"
            ),
            (#""a": {"set": "any", ¦"set": "any"}"#, "the key 'set' is given twice"),
            (#"¦"x": {"set": "any"}"#, "the key 'x' is given twice"),
            (#""a": {"set": "any", ¦"pipe": []}"#, "'pipe' is for nodes that are derived"),
            (#""a": {"set": "any", ¦"map": "value"}"#, "'map' is for nodes that are derived"),
            (#""a": {"from": "x", ¦"initial": 1}"#, "'initial' is for nodes that are set"),
            (#""a": {"merge": ["x"], ¦"ttl": "5s"}"#, "'ttl' is for nodes that are set"),
            (#""a": {"from": "x", ¦"role": "sensor"}"#, "'role' is for nodes that are set"),
            (#""a": {"from": "x", ¦"confirm": true}"#, "'confirm' is for nodes that are set"),
            (
                #""a": {"set": "any", ¦"expect": "1m"}"#,
                "unknown key 'expect' of a node ('fresh' says how long a value may go without being set)"
            ),
            (
                #""a": {"from": "x", "severity": ¦"alrm"}"#,
                "severity must be one of info, warning, alarm (did you mean 'alarm'?)"
            ),
            (
                #""a": {"from": "x", "ok": ¦1}"#,
                "'ok' belongs to an alarm: 'severity' is missing (add severity: info, warning or alarm)"
            ),
            (
                #""a.{id}": {"set": "any", "severity": ¦"info"}"#,
                "a family has no 'severity' (give it to a node that joins the members: all: \"sensor.*.hot\", reduce: any)"
            ),
            (#""a": {"set": "any", ¦"buffer": 1}"#, "'buffer' is for nodes that are derived"),
            (#""a": {"merge": ["x"], ¦"buffer": 1}"#, "'buffer' is only allowed with 'zip'"),
            (
                #""a": {"from": "x", ¦"map": "value"}"#,
                "'map' is only allowed with 'combine', 'all' and 'zip' (write it as a stage: pipe: [ { map: … } ])"
            ),
        ]
    )
    func keys(_ nodes: String, _ message: String) throws {
        try check(nodes, [message])
    }

    @Test(
        "what people write who know other configurations is named",
        arguments: [
            (
                #""a": {"set": "any", ¦"label": "x"}"#,
                "unknown key 'label' of a node ('title' is what people read)"
            ),
            (
                #""a": {"set": "any", ¦"confirmation": true}"#,
                "unknown key 'confirmation' of a node ('confirm: true' makes the page ask before it sets the node)"
            ),
            (
                #""a": {"set": "any", ¦"unit_of_measurement": "C"}"#,
                "unknown key 'unit_of_measurement' of a node ('unit' is what stands after a value)"
            ),
            (
                #""a": {¦"type": "number"}"#,
                "unknown key 'type' of a node (a node that clients set says so by 'set', as in set: number)"
            ),
            (
                #""a": {¦"set:number": null}"#,
                "unknown key 'set:number' of a node (a space is needed after ':', as in set: number)"
            ),
            (
                #""a": ¦"set:number""#,
                "node 'a' must be a mapping, not a string (a space is needed after ':', as in set: number)"
            ),
            (
                #""a": {¦"expr": "x + 1"}"#,
                "unknown key 'expr' of a node (write combine: { a: NODE, b: NODE }, map: \"a + b\"; "
                    + "of one node: from: NODE, pipe: [ { map: \"value * 2\" } ])"
            ),
            (#""a": {"set": ¦"bool"}"#, "set must be one of \(kinds) ('bool' is written 'boolean' here)"),
            (#""a": {"set": ¦"float"}"#, "set must be one of \(kinds) ('float' is written 'number' here)"),
            (
                #""a": {"set": {"type": ¦"Int"}}"#,
                "the type must be one of \(kinds) ('Int' is written 'integer' here)"
            ),
            (
                #""a": {"set": ¦["on", "off"]}"#,
                "set must be one of \(kinds), not a list (a choice of values is written: set: { enum: [on, off] })"
            ),
            (
                #""b": {"set": "any"}, "a": {"from": ¦["x", "b"]}"#,
                "from must name a node, not a list (together: combine: { a: x, b: b }; "
                    + "whichever was set last: merge: [x, b])"
            ),
        ]
    )
    func otherWords(_ nodes: String, _ message: String) throws {
        try check(nodes, [message])
    }

    @Test(
        "a node has exactly one source",
        arguments: [
            (
                #"¦"a": {"title": "x"}"#,
                "node 'a' does not say where its values come from "
                    + "(give it one of set, source, from, combine, all, merge, flatten, zip, switch, case, default, otherwise, if, schedule, between)"
            ),
            (
                #"¦"a": {"from": "x", "merge": ["x"]}"#,
                "node 'a' has from and merge: only one of them is allowed"
            ),
            (
                #"¦"a": {"set": "any", "from": "x"}"#,
                "node 'a' has set and from: only one of them is allowed"
            ),
        ]
    )
    func sources(_ nodes: String, _ message: String) throws {
        try check(nodes, [message])
    }

    @Test(
        "values of the wrong type",
        arguments: [
            (#""a": ¦7"#, "node 'a' must be a mapping, not a number"),
            (#""a": ¦[]"#, "node 'a' must be a mapping, not a list"),
            (#""a": {"set": ¦7}"#, "set must be one of \(kinds)"),
            (#""a": {"set": ¦["any"]}"#, "set must be one of \(kinds), not a list"),
            (#""a": {"set": ¦"numer"}"#, "set must be one of \(kinds) (did you mean 'number'?)"),
            (#""a": {"set": "any", "title": ¦null}"#, "title must be text, not null"),
            (#""a": {"set": "any", "unit": ¦["C"]}"#, "unit must be text, not a list"),
            (#""a": {"set": "any", "history": ¦"ten"}"#, "history must be \(historyHint)"),
            (#""a": {"set": "any", "history": ¦1.5}"#, "history must be \(historyHint)"),
            (#""a": {"set": "any", "history": ¦-1}"#, "history must be \(historyHint)"),
            (#""a": {"set": "any", "ttl": ¦"soon"}"#, "ttl must be a duration (\(spanHint))"),
            (#""a": {"set": "any", "ttl": ¦0}"#, "ttl must be a duration (\(spanHint))"),
            (
                #""a": {"set": "any", "requireIfMatch": ¦"yes"}"#,
                "requireIfMatch must be true or false, not a string"
            ),
            (#""a": {"set": "any", "confirm": ¦"yes"}"#, "confirm must be true or false, not a string"),
            (
                #""a": {"from": "x", "retain": ¦"allways"}"#,
                "retain must be one of whileInUse, untilPressure, always (did you mean 'always'?)"
            ),
            (
                #""a": {"set": "any", "retain": ¦"whileInUse"}"#,
                "a mutable node is always retained: it is the graph's state"
            ),
        ]
    )
    func types(_ nodes: String, _ message: String) throws {
        try check(nodes, [message])
    }

    @Test(
        "checks that are wrong or that nothing can pass",
        arguments: [
            (#""a": {"set": "string", "min": ¦1}"#, "'min' is for numbers, this node takes string"),
            (#""a": {"set": "number", "min": ¦"x"}"#, "min must be a number"),
            (#""a": {"set": "number", "min": 5, "max": ¦1}"#, "max is below min: no value could be set"),
            (
                #""a": {"set": "number", "maxLength": ¦1}"#,
                "'maxLength' is for strings and arrays, this node takes number"
            ),
            (#""a": {"set": "string", "minLength": ¦-1}"#, "minLength must be a whole number of at least 0"),
            (
                #""a": {"set": "array", "minLength": 5, "maxLength": ¦1}"#,
                "maxLength is below minLength: no value could be set"
            ),
            (
                #""a": {"set": "number", "pattern": ¦"^a"}"#,
                "'pattern' is for strings, this node takes number"
            ),
            (
                #""a": {"set": "string", "pattern": ¦"^a"}"#,
                "'pattern' needs a regular expression engine, which this server does not have"
            ),
            (#""a": {"set": ¦{}}"#, "set must name a type or an enum"),
            (#""a": {"set": {¦"typ": "any"}}"#, "unknown key 'typ' in set (did you mean 'type'?)"),
            (#""a": {"set": "any", "enum": ¦[]}"#, "enum must be a list of values"),
            (#""a": {"set": "any", "enum": ¦"a"}"#, "enum must be a list of values"),
            (#""a": {"set": "any", "enum": [1, ¦1.0]}"#, "enum has a duplicate value"),
            (#""a": {"set": {"enum": [1]}, "enum": ¦[1]}"#, "enum is given twice"),
            (
                #""a": {"set": "integer", "enum": [1, ¦"x"]}"#,
                "this value of the enum can never be set: it must be a whole number"
            ),
        ]
    )
    func checks(_ nodes: String, _ message: String) throws {
        // A number's pattern is refused twice at the same place: for its type and for the missing
        // engine.
        let both = "'pattern' needs a regular expression engine, which this server does not have"
        if message.hasPrefix("'pattern' is for") {
            try check(nodes.replacing("¦", with: "¦¦"), [message, both])
        } else {
            try check(nodes, [message])
        }
    }

    @Test(
        "an initial value must pass the node's own checks",
        arguments: [
            (#""a": {"set": "string", "initial": ¦5}"#, "the initial value must be a string"),
            (#""a": {"set": "object", "initial": ¦[1]}"#, "the initial value must be an object"),
            (#""a": {"set": "integer", "initial": ¦1.5}"#, "the initial value must be a whole number"),
            (#""a": {"set": "number", "max": 10, "initial": ¦11}"#, "the initial value must be at most 10"),
            (#""a": {"set": "number", "min": 0.5, "initial": ¦0}"#, "the initial value must be at least 0.5"),
            (
                #""a": {"set": "string", "minLength": 2, "initial": ¦"é"}"#,
                "the initial value must have at least 2 characters"
            ),
            (
                #""a": {"set": "array", "maxLength": 1, "initial": ¦[1, 2]}"#,
                "the initial value must have at most 1 elements"
            ),
            (
                #""a": {"set": {"enum": ["a", "b"]}, "initial": ¦"c"}"#,
                #"the initial value must be one of "a", "b""#
            ),
        ]
    )
    func initial(_ nodes: String, _ message: String) throws {
        try check(nodes, [message])
    }

    @Test(
        "names that nodes cannot have, where they are given and where they are used",
        arguments: ["", "-a", ".a", "a b", "ä", "a/b", String(repeating: "n", count: 129)]
    )
    func names(_ name: String) throws {
        let message = "'\(name)' cannot be the name of a node (\(Self.nameHint))"
        try check(#"¦"\#(name)": {"set": "any"}"#, [message])
        try check(#""a": {"from": ¦"\#(name)"}"#, [message])
        try check(#""a": {"merge": ["x", ¦"\#(name)"]}"#, [message])
    }

    @Test(
        "names at the edge of what is allowed",
        arguments: ["_", "0", "A.b-c_9", String(repeating: "n", count: 128)]
    )
    func goodNames(_ name: String) throws {
        try check(#""\#(name)": {"set": "any"}"#, [])
    }

    @Test("nothing is wrong with checks that go together")
    func goodChecks() throws {
        try check(#""a": {"set": "number", "min": 1, "max": 1, "initial": 1, "enum": [1]}"#, [])
        try check(
            #""a": {"set": {"type": "string", "enum": ["é", "e"]}, "minLength": 1, "initial": "é"}"#,
            []
        )
    }
}
