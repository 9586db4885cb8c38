import CEL
import SluiceServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Looks for the expression with the most nanoseconds for a unit of cost, and ends with status 1
// when one takes more than 20 on the reference machine (docs/expressions.md).
//
// UnitSearch [--programs N] [--seed N] [--all]
// UnitSearch EXPRESSION…
//
// Programs are made at random, half of them of the worst ones so far. With --all it goes on after
// the first that takes too long, and shows the worst ones. With expressions it measures those and
// nothing else; Inputs.swift has their variables.

let limit = 20.0

var count = 100_000
var seed: UInt64 = 1
var showsAll = false
var expressions: [String] = []
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    switch word {
    case "--programs": count = words.popFirst().flatMap(Int.init) ?? count
    case "--seed": seed = words.popFirst().flatMap(UInt64.init) ?? seed
    case "--all": showsAll = true
    default: expressions.append(word)
    }
}

var search = Search(seed: seed)
if !expressions.isEmpty {
    let figures = expressions.map { search.figures(of: $0) }
    print(figures.joined(separator: "\n"))
    print("this machine takes \(Stopwatch().slowness()) times as long as the reference machine")
    exit(0)
}
let start = ContinuousClock.now
while search.tried < count, showsAll || !search.hasFailed {
    search.step()
}
print("\(search.tried) programs, seed \(seed), \(ContinuousClock.now - start)")
print(search.report(showsAll ? 20 : 3).joined(separator: "\n"))
exit(search.hasFailed ? 1 : 0)
