import Testing

@testable import Graphs
@testable import Sessions

private let graphText = #"{"graph":"g","nodes":{"x":{"set":"number","initial":10}}}"#
private let sum = #"[{"scan":{"start":0,"with":"acc + value"}}]"#

@Suite("Kept chains in pictures")
struct KeptPictureTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("K-3: the live picture shows a kept chain, what keeps it and for how long, and never the ticket")
    func shown() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        var keeper = Keeper(bench, pipe: sum)
        keeper.client.ask(#"{"op":"hello","id":9,"client":"tablet"}"#)
        keeper.begin()
        let number = keeper.client.session.number
        bench.leap(5_000)
        keeper.reconnect()
        bench.leap(2_000)
        let picture = text(PictureText(of: graph, live: true).json())
        let node = try #require(graph.chains.all.last?.number)
        let entry =
            #"{"l":"k:1","client":"tablet","transport":"kept","since":5005000,"on":[\#(node)],"queued":0,"folded":0,"kept":{"of":"c:\#(number)","age":7000,"until":5035000}}"#
        #expect(picture.contains(#""listeners":[\#(entry)]"#), "\(picture)")
        #expect(picture.contains(#""owners":["k:1"]"#))
        #expect(!picture.contains(try #require(keeper.ticket)))
        #expect(text(PictureText.listenersJSON(of: graph)).contains(entry))
        #expect(
            text(PictureText(of: graph, live: true).dot()).contains(
                "k1 [shape=ellipse, label=\"tablet k:1\"]"
            )
        )
        #expect(text(PictureText(of: graph, live: true).mermaid()).contains("--> k1"))
        #expect(!text(PictureText(of: graph, live: false).json()).contains("kept"))
        keeper.resume()
        #expect(!text(PictureText(of: graph, live: true).json()).contains("k:1"))
    }

    @Test("K-3: observers see a chain that is kept, and what became of it")
    func observed() throws {
        let bench = Bench()
        let graph = try bench.define(graphText)
        let observer = bench.connect()
        observer.ask(#"{"op":"observe","id":1,"graph":"g","every":50}"#)
        var keeper = Keeper(bench, pipe: sum)
        keeper.begin()
        bench.leap(50)
        _ = observer.take()
        let number = keeper.client.session.number
        keeper.reconnect()
        bench.leap(50)
        var told = observer.take().joined()
        #expect(told.contains(#""l":"k:1","transport":"kept""#), "\(told)")
        #expect(
            told.contains(#""listeners":[{"l":"c:\#(number)","reason":"reset"}]"#)
                && told.contains(#"["k:1"]]"#)
        )
        keeper.resume()
        bench.leap(50)
        told = observer.take().joined()
        #expect(told.contains(#"{"l":"k:1","reason":"resumed"}"#), "\(told)")
        keeper.reconnect()
        bench.leap(30_000)
        bench.leap(50)
        told = observer.take().joined()
        #expect(told.contains(#"{"l":"k:2","reason":"expired"}"#), "\(told)")
        #expect(told.contains(#""reason":"last_owner""#))
        keeper.begin()
        keeper.reconnect()
        _ = bench.host.flushUnused()
        bench.leap(50)
        told = observer.take().joined()
        #expect(
            told.contains(#"{"l":"k:3","reason":"pressure"}"#)
                && told.contains(#""reason":"pressure","lived""#),
            "\(told)"
        )
        #expect(graph.clients.keptChains == 0)
    }
}
