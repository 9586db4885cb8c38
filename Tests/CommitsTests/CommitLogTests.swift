import Commits
import LogTestSupport
import Support
import Testing

@Suite("Commit logs")
struct CommitLogTests {
    @Test("The log of the tests keeps the promises of a log")
    func promises() throws {
        try checkCommitLog({ FaultyLog() }, again: { FaultyLog(after: $0) })
    }

    @Test("Bytes that are no entry are refused, wherever they are cut off or changed")
    func bytes() throws {
        var entry = LogEntry(graph: "g", kind: .redefine(text: "{}", .client))
        entry.set = [LogEntry.Assignment("x", Array("[1,2]".utf8))]
        entry.clear = ["y"]
        entry.claimed = ["x"]
        entry.by = "b"
        entry.context = Array("null".utf8)
        entry.key = LogEntry.Key("k", digest: 1 << 127)
        var bytes: [UInt8] = []
        entry.append(to: &bytes)
        func read(_ bytes: some Collection<UInt8>) -> LogEntry? {
            Array(bytes).withBorrowedBytes { bytes in
                var reader = LogBytesReader(bytes)
                return try? LogEntry(graph: "g", from: &reader)
            }
        }
        #expect(read(bytes) == entry)
        for count in bytes.indices { #expect(read(bytes.prefix(count)) == nil) }
        for place in bytes.indices {
            var other = bytes
            other[place] = 0xff
            #expect(read(other) != entry)
        }
    }
}
