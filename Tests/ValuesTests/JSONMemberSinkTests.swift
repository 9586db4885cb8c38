import CEL
import TestSupport
import Testing

@testable import Values
import Support

@Suite("Members that the scan finds")
struct JSONMemberSinkTests {
    /// Keeps what it receives.
    struct Members: JSONMemberSink {
        var all: [String] = []

        mutating func add(_ key: JSONTextSlice, _ value: JSONReader) {
            all.append("\(key.string): \(String(decoding: value.bytes, as: UTF8.self))")
        }
    }

    @Test("the scan passes on the members of the outermost object, and no others")
    func sameAsReader() throws {
        var random = RandomJSON(seed: 7)
        for _ in 0..<500 {
            let text = Array(random.text(random.tree(4)).utf8)
            var (members, expected) = (Members(), Members())
            try text.withBorrowedBytes { bytes in
                let extent = try JSONScanner.validate(bytes, &members)
                for member in JSONReader(extent, of: bytes).members { expected.add(member.key, member.value) }
            }
            #expect(members.all == expected.all)
        }
    }

    @Test("an array passes on nothing, whatever is in it", arguments: [#"[{"a":1}]"#, "[]", "1", "{}"])
    func none(_ text: String) throws {
        var members = Members()
        let bytes = Array(text.utf8)
        _ = try bytes.withBorrowedBytes { try JSONScanner.validate($0, &members) }
        #expect(members.all.isEmpty)
    }
}
