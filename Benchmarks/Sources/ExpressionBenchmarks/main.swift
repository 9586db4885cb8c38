import CAllocations
import CEL

// Nanoseconds of CPU time and allocations per evaluation: median and fastest of 9 rounds of about
// 20 ms. Beside them the same functions in Lua 5.4, called with a bound on their steps. `--check`
// ends with status 1 if a target is missed or a scalar allocates. `--once NAME COUNT` evaluates one
// case so often and no more: run that under a tool that counts instructions.

let reading = Value.map(ValueMap([("inside", .double(21.5)), ("outside", .double(18.25)), ("unit", "C")]))
let readings = Value.list(
    ValueList((0..<20).map { .map(ValueMap([("c", .double(Double($0))), ("name", "room")])) })
)

let cases = [
    Case("nothing", "value", 21.5),
    Case("scalar", "value * 9 / 5 + 32", 21.5, target: 20),
    Case("comparison", "value > 18.0 && value < 26.0", 21.5),
    Case("object", "value.inside > value.outside", reading, target: 40),
    Case("function", "math.round(value * 9 / 5 + 32)", 21.5),
    Case("map", "{'delta': value.inside - value.outside, 'unit': value.unit}", reading, isScalar: false),
    Case("macro", "value.filter(r, r.c > 10).map(r, r.name)", readings, isScalar: false),
    Case("text", "'it is ' + string(value) + ' degrees'", 21.5, isScalar: false),
]

let words = CommandLine.arguments.dropFirst()
if words.first == "--once", words.count == 3, let count = Int(words[words.startIndex + 2]) {
    let chosen = cases.first { $0.name == words[words.startIndex + 1] } ?? cases[0]
    print(chosen.run(count))
} else {
    print("case,expression,ns median,ns fastest,target,allocations")
    Script("scalar", "value * 9 / 5 + 32", argument: "21.5").report()
    Script("comparison", "value > 18.0 and value < 26.0", argument: "21.5").report()
    Script(
        "object",
        "value.inside > value.outside",
        argument: "{ inside = 21.5, outside = 18.25, unit = 'C' }"
    ).report()
    let misses = cases.filter { !$0.report() }
    if words.contains("--check"), !misses.isEmpty {
        print("missed: \(misses.map(\.name).joined(separator: ", "))")
        exitWithFailure()
    }
}
