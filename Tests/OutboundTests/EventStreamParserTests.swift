import Support
import Testing

@testable import Outbound

@Suite("Server-sent events are read as WHATWG HTML section 9.2.6 says")
struct EventStreamParserTests {
    private func read(
        _ pieces: [String],
        most: Int = 1_000
    ) throws -> (events: [String], lastID: String, Int?) {
        var parser = EventStreamParser(mostBytes: most)
        var events: [String] = []
        for piece in pieces {
            let bytes = Array(piece.utf8)
            try bytes.withBorrowedBytes { (bytes) throws(EventStreamParser.TooLong) in
                try parser.parse(bytes) {
                    events.append("\($0.name): \(String(decoding: $0.data, as: UTF8.self))")
                }
            }
        }
        return (events, parser.lastID, parser.retry)
    }

    @Test(
        "lines end in LF, CR or both; fields may lack a blank or a value; comments and unknown fields say nothing",
        arguments: [
            ("data: a\n\n", ["message: a"]), ("data:a\r\r", ["message: a"]),
            ("data:  a\r\n\r\n", ["message:  a"]),
            ("data: a\ndata: b\n\n", ["message: a\nb"]),
            ("data\n\ndata\ndata\n\n", ["message: ", "message: \n"]),
            ("event: x\ndata: 1\n\ndata: 2\n\n", ["x: 1", "message: 2"]),
            (":\n\n: note\ndata: 1\n\n", ["message: 1"]),
            ("event: x\n\n", []), ("what: x\ndata: 1\n\n", ["message: 1"]), ("data: unfinished\n", []),
            ("\u{FEFF}data: 1\n\n", ["message: 1"]), ("\u{FEFF}\u{FEFF}data: 1\n\n", []),
            ("data: 1: 2\n\n", ["message: 1: 2"]),
        ]
    )
    func forms(text: String, events: [String]) throws {
        #expect(try read([text]).events == events)
        // However it was cut.
        #expect(try read(text.unicodeScalars.map(String.init)).events == events)
    }

    @Test("the last id stays, and is taken when its event is complete; retry is a whole number")
    func ids() throws {
        let read = try read(["id: 7\ndata: 1\n\ndata: 2\n\nid: 8\nretry: 250\nretry: x\n"])
        #expect(read.lastID == "7" && read.2 == 250)
        #expect(try self.read(["id: a\u{0}b\ndata: 1\n\n"]).lastID == "")
        #expect(try self.read(["id: 7\n\nid\n\n"]).lastID == "")
    }

    @Test(
        "a line and an event have a longest length",
        arguments: [
            [String(repeating: "x", count: 2_000)], Array(repeating: "data: 0123456789\n", count: 100),
        ]
    )
    func bounds(pieces: [String]) {
        #expect(throws: EventStreamParser.TooLong.self) { try read(pieces) }
    }
}
