import CEL
import TestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

@Suite("A pipeline that takes long to read is read on another thread, before its request is performed")
struct LongReadingTests {
    private let bench = Bench()
    private let graph: LiveGraph
    /// Texts that wait to be read.
    private let queue = Queue()

    private final class Queue {
        var waiting: [(text: PipelineText, done: (ParsedPipeline) -> Void)] = []
    }

    init() throws {
        graph = try bench.define(PipelineGraph.text)
        bench.host.pipelines.parseElsewhere = { [queue] text, done in queue.waiting.append((text, done)) }
    }

    /// Another thread has read what waits.
    private func readAll() {
        let waiting = queue.waiting
        queue.waiting = []
        for (text, done) in waiting { done(text.parse(within: .ample) { DefinitionOptions() }) }
        bench.host.advance()
        bench.endTurn()
    }

    /// A list of stages of more than 1 KiB, which adds 400 in all.
    private let long =
        "["
        + (0..<4).map { _ in #"{"map":"value\#(String(repeating: " + 1", count: 100))"}"# }.joined(
            separator: ","
        ) + "]"

    @Test("sub: is answered when its text has been read; what comes after it waits, others do not")
    func sub() throws {
        let client = bench.connect()
        #expect(client.subscribe(1, long).isEmpty)
        client.send(#"{"op":"ping","id":2}"#)
        #expect(bench.connect().ask(#"{"op":"ping","id":1}"#).count == 1)
        #expect(client.take().isEmpty && queue.waiting.count == 1)
        readAll()
        let answers = client.take()
        #expect(answers.count == 2)
        #expect(answers.first?.contains(#""op":"snap","id":1"#) == true)
        #expect(answers.first?.contains(#""v":401,"#) == true)
        #expect(answers.last?.contains(#""id":2"#) == true)
        try bench.set(graph, [("x", "2")])
        #expect(client.take().first?.contains(#""v":402"#) == true)
        client.session.close()
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("A set that comes after a sub does not overtake it")
    func order() throws {
        let client = bench.connect()
        #expect(client.subscribe(1, long).isEmpty)
        client.send(#"{"op":"set","id":2,"graph":"g","set":{"x":2}}"#)
        bench.endTurn()
        #expect(client.take().isEmpty && graph.rev == 1)
        readAll()
        bench.settle()
        let answers = client.take()
        #expect(answers.first?.contains(#""v":401,"#) == true)
        #expect(answers.dropFirst().contains { $0.contains(#""op":"upd""#) && $0.contains(#""v":402"#) })
        #expect(graph.rev == 2)
    }

    @Test("Each request of a client gets the stages of its own text, though one waits for the other")
    func several() throws {
        let client = bench.connect()
        for id in 1...4 { client.subscribe(id, long.replacing("[{", with: #"[{"map":"value * \#(id)"},{"#)) }
        while !queue.waiting.isEmpty { readAll() }
        bench.settle()
        let answers = client.take()
        for id in 1...4 {
            #expect(answers.contains { $0.contains(#""id":\#(id),"#) && $0.contains(#""v":\#(id + 400),"#) })
        }
        #expect(graph.chains.all.count == 4 * 5)
    }

    @Test("A long source and a long pipe are read together")
    func both() throws {
        let client = bench.connect()
        let sum = "value[0]" + String(repeating: " + value[1]", count: 120)
        client.send(
            #"{"op":"sub","id":1,"graph":"g","combine":["x","y"],"map":"\#(sum)","pipe":\#(long)}"#
        )
        #expect(client.take().isEmpty && queue.waiting.count == 1)
        readAll()
        #expect(client.take().first?.contains(#""v":641,"#) == true && queue.waiting.isEmpty)
    }

    @Test("Its problems are reported with their places, and the id is free again")
    func wrong() throws {
        let client = bench.connect()
        let wrong = long.replacing("[{", with: #"[{"map":"value +"},{"#)
        #expect(client.subscribe(1, wrong).isEmpty)
        readAll()
        let answer = try #require(client.take().first)
        #expect(answer.contains(#""id":1,"code":"expr_syntax""#) && answer.contains("column"))
        #expect(client.subscribe(1, #"[{"map":"value"}]"#).first?.contains("snap") == true)
    }

    @Test("It counts as one message")
    func rate() throws {
        var limits = SessionLimits.ample
        limits.messagesPerSecond = 1
        let bench = Bench(limits: limits)
        _ = try bench.define(PipelineGraph.text)
        bench.host.pipelines.parseElsewhere = { [queue] text, done in queue.waiting.append((text, done)) }
        let client = bench.connect()
        #expect(client.subscribe(1, long).isEmpty)
        for (text, done) in queue.waiting { done(text.parse(within: limits) { DefinitionOptions() }) }
        bench.host.advance()
        bench.endTurn()
        #expect(client.take().first?.contains("snap") == true)
    }

    @Test("A client that has gone meanwhile gets nothing, and leaves nothing")
    func gone() throws {
        let client = bench.connect()
        #expect(client.subscribe(1, long).isEmpty)
        client.session.close()
        readAll()
        #expect(client.take().isEmpty && graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("A server that stops meanwhile does not wait for it")
    func shutdown() throws {
        let client = bench.connect()
        #expect(client.subscribe(1, long).isEmpty)
        client.session.shutDown(after: 500)
        #expect(client.session.isClosed)
        readAll()
        #expect(graph.chains.all.isEmpty && graph.isWhole)
    }

    @Test("eval: its text is read first")
    func eval() throws {
        let question = Array(#"{"node":"x","pipe":\#(long)}"#.utf8)
        let view = try GraphView(graph, for: .full)
        let text = try view.text(ofEvaluation: question)
        #expect(bench.host.parsesElsewhere(text))
        let parsed = text.parse(within: .ample) { DefinitionOptions() }
        var answer: [UInt8]?
        try question.withBorrowedBytes { question in
            try view.evaluate(question, parsed) { answer = try? $0.get() }
        }
        #expect(String(decoding: try #require(answer), as: UTF8.self).contains(#""v":401"#))
        let short = Array(#"{"node":"x"}"#.utf8)
        #expect(!bench.host.parsesElsewhere(try view.text(ofEvaluation: short)))
    }

    @Test("A short pipeline is read at once, unless it has a pattern; one that is known too")
    func patterns() throws {
        let bench = Bench(definitions: DefinitionOptions(expressions: Options(regex: QuickEngine())))
        _ = try bench.define(PipelineGraph.text)
        bench.host.pipelines.parseElsewhere = { [queue] text, done in queue.waiting.append((text, done)) }
        let client = bench.connect()
        #expect(client.subscribe(1, #"[{"map":"value + 1"}]"#).first?.contains("snap") == true)
        #expect(client.subscribe(2, #"[{"filter":"string(value).matches('a')"}]"#).isEmpty)
        #expect(queue.waiting.count == 1)
    }

    @Test("A pipeline of up to 256 bytes is read elsewhere once; then it is known")
    func known() throws {
        let client = bench.connect()
        let pipe = #"[{"map":"value\#(String(repeating: " + 1", count: 30))"}]"#
        #expect(client.subscribe(1, pipe).isEmpty)
        readAll()
        #expect(client.take().first?.contains(#""v":31,"#) == true)
        #expect(client.subscribe(2, pipe).first?.contains(#""v":31,"#) == true && queue.waiting.isEmpty)
    }

    @Test("A pipeline of more than 16 KiB is refused at once")
    func tooLong() {
        let client = bench.connect()
        let pipe = #"[{"map":"value\#(String(repeating: " + 1", count: 5_000))"}]"#
        #expect(client.subscribe(1, pipe).first?.contains("16384 bytes") == true)
        #expect(queue.waiting.isEmpty)
    }
}

/// Patterns that find nothing.
private final class QuickEngine: RegexEngine {
    private final class Matcher: RegexMatcher {
        func cost(ofBytes count: Int) -> Int { 1 }
        func isFound(in text: String) -> Bool { false }
    }

    func work(of pattern: String) -> Int { 10 }
    func has(_ pattern: String) -> Bool { false }
    func matcher(for pattern: String) -> any RegexMatcher { Matcher() }
}
