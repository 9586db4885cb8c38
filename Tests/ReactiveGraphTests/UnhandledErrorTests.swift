import ReactiveGraph
import TestSupport
import Testing

private struct Broken: Error {
    let number: Int
}

private struct Large: Error {
    let text: String
}

private final class Same: TransformEdge<Int, Int> {}

/// What a program prints when it sets no ``Graph/onError``: each test has a process of its own,
/// whose standard error it reads.
@Suite("Errors that nothing receives")
struct UnhandledErrorTests {
    #if DEBUG
        @Test("G-99: the first error of a node is printed, with its name and the place of the operator")
        func printed() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let graph = Graph()
                let bag = CancellableBag()
                let numbers = graph.mutable(of: Int.self)
                let parsed: Node<Int> = numbers.tryMap { throw Broken(number: $0) }.named("parsed")
                parsed.listen(in: bag) { _ in }
                for number in 1...5 { numbers.set(number) }
            }
            let found = lines(result)
            let place = "ReactiveGraphTests/UnhandledErrorTests.swift:"
            #expect(found.count == 1)
            #expect(
                found.first?.hasPrefix("ReactiveGraph: unhandled error: tryMap of node parsed failed: ")
                    == true
            )
            #expect(found.first?.contains(" failed: Broken(number: 1), at \(place)") == true)
            #expect(found.first?.hasSuffix(". Set Graph.onError to receive the errors of a graph.") == true)
        }

        @Test("G-99: every operator that may throw names its place; so does an operator of one's own")
        func places() async throws {
            struct Own: Operator {
                let name = "Own"
                mutating func receive(_ value: Int, at site: Site) -> Emission<Int>? {
                    _ = site.attempt("own", line: 105) { throw Broken(number: value) }
                    return nil
                }
            }
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let graph = Graph()
                let numbers = graph.mutable(of: Int.self)
                let nodes: [AnyNode] = [
                    numbers.tryMap(line: 101) { throw Broken(number: $0) }.named("map") as Node<Int>,
                    numbers.tryFilter(line: 102) { throw Broken(number: $0) }.named("filter"),
                    numbers.tryScan(0, line: 103) { throw Broken(number: $1) }.named("scan"),
                    numbers.tryFlattenMap(line: 104) { throw Broken(number: $0) }.named("flatten")
                        as Node<Int>,
                    numbers.apply(Own()).named("own"),
                ]
                numbers.set(7)
                withExtendedLifetime(nodes) {}
            }
            let found = lines(result)
            try #require(found.count == 5, "\(found)")
            let expected = [
                "tryMap of node map", "tryFilter of node filter", "tryScan of node scan",
                "tryFlattenMap of node flatten", "own of node own",
            ]
            for (index, (line, start)) in zip(found, expected).enumerated() {
                #expect(line.contains(": \(start) failed: Broken(number: 7), at "))
                #expect(line.contains("UnhandledErrorTests.swift:\(101 + index). "))
            }
        }

        @Test("G-39, G-28: feedback and an edge that is in use are printed as well")
        func others() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let graph = Graph(feedbackLimit: 3)
                let bag = CancellableBag()
                let count = graph.mutable(0).named("count")
                count.listen(in: bag) { count.set($0 + 1) }
                let edge = Same()
                graph.mutable(1).link(to: count, via: edge)
                graph.mutable(2).link(to: count, via: edge)
            }
            #expect(lines(result).count == 2)
            #expect(lines(result).first?.contains("more than 3 sets of node count were queued") == true)
            #expect(lines(result).last?.contains("the edge already has an end") == true)
        }

        @Test("G-99: a hundred nodes that fail do not fill the terminal; nor does a large error")
        func bounded() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let graph = Graph()
                let numbers = graph.mutable(of: String.self)
                let nodes = (0..<300).map { _ in
                    numbers.tryMap { (text: String) throws -> Int in throw Large(text: text) }
                }
                numbers.set(String(repeating: "long ", count: 10_000))
                withExtendedLifetime(nodes) {}
            }
            #expect(lines(result).count == 101)
            #expect(lines(result).last == "ReactiveGraph: further errors of this graph are not printed")
            #expect(lines(result).allSatisfy { $0.utf8.count < 1_300 })
        }
    #endif

    @Test("G-99: nothing is printed of what a handler receives, or a result passes on")
    func handled() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let graph = Graph()
            let bag = CancellableBag()
            let numbers = graph.mutable(1)
            numbers.mapResult { throw Broken(number: $0) }.listen(in: bag) { (_: Result<Int, any Error>) in }
            graph.onError = { _ in }
            numbers.tryMap { throw Broken(number: $0) }.listen(in: bag) { (_: Int) in }
        }
        #expect(lines(result) == [])
    }

    /// What the process wrote about the library: Swift's own runtime may write as well.
    private func lines(_ result: ExitTest.Result?) -> [String] {
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("ReactiveGraph: ") }
    }
}
