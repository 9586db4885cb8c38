import CEL
import Support
import TestSupport
import Testing
import Values

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("JSON texts, trees and data agree with each other")
struct JSONPropertyTests {
    @Test("a random tree, written and parsed, is the same tree; written again, the same text")
    func writeParse() throws {
        for seed in 0..<UInt64(Nightly.isOn ? 200_000 : 2_000) {
            var random = RandomJSON(seed: seed)
            let tree = random.tree(4)
            var text: [UInt8] = []
            let keeps = try JSONWriter.append(tree, to: &text)
            #expect(keeps, "seed \(seed)")
            let again = try text.withBorrowedBytes { bytes in try JSONTree.parse(bytes) }
            #expect(isSameTree(tree, again), "seed \(seed)")
            var second: [UInt8] = []
            try JSONWriter.append(again, to: &second)
            #expect(text == second, "seed \(seed)")
        }
    }

    @Test("however a tree is spelled, its data are equal, to themselves, to each other, to the computed one")
    func equality() throws {
        for seed in 0..<UInt64(Nightly.isOn ? 100_000 : 1_000) {
            var random = RandomJSON(seed: seed)
            let tree = random.tree(4)
            let texts = (0..<3).map { _ in random.text(tree) }
            let data = try texts.map { try Datum.parse($0) } + [try Datum(tree: tree)]
            for a in data {
                for b in data {
                    #expect(a == b, "seed \(seed): \(a) and \(b)")
                    #expect(a.hashValue == b.hashValue, "seed \(seed): \(a) and \(b)")
                }
                #expect(isSameTree(a.tree, tree), "seed \(seed): \(a)")
                // White space around a value is gone, its own text is kept.
                #expect(texts.contains { $0.contains(a.text) } || a === data[3], "seed \(seed)")
            }
            let other = random.tree(4)
            let isSame = try Datum(tree: other) == data[0]
            // Minus zero is zero as a number, though not the same double.
            #expect(
                isSame == (isSameTree(tree, other) || normalised(tree) == normalised(other)),
                "seed \(seed)"
            )
        }
    }

    @Test("reading a text by cursor gives what its tree has")
    func cursor() throws {
        for seed in 0..<UInt64(Nightly.isOn ? 50_000 : 500) {
            var random = RandomJSON(seed: seed)
            let tree = random.tree(4)
            let text = random.text(tree)
            try text.withBorrowedBytes { utf8 in
                let reader = try JSONReader(checking: utf8)
                #expect(isSameTree(byCursor(reader), tree), "seed \(seed)")
            }
        }
    }

    @Test("texts with random damage never trap; what is accepted is read the same by all readers")
    func mutations() throws {
        for seed in 0..<UInt64(Nightly.isOn ? 1_000_000 : 10_000) {
            var random = RandomJSON(seed: seed)
            var bytes = Array(random.text(random.tree(3)).utf8)
            for _ in 0...Int.random(in: 0..<3, using: &random.random) {
                damage(&bytes, &random.random)
            }
            do {
                let reader = try bytes.withBorrowedBytes { text in
                    let reader = try JSONReader(checking: text)
                    return (byCursor(reader), JSONTree.tree(of: reader))
                }
                #expect(isSameTree(reader.0, reader.1), "seed \(seed)")
                let written = try Datum(tree: reader.1)
                let datum = try bytes.withBorrowedBytes { text in try Datum.parse(text) }
                #expect(isSameTree(written.tree, datum.tree), "seed \(seed)")
            } catch let error as JSONError {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
            }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let interesting =
            Array("\"\\{}[],:0123456789eE.+-utrnf \n\u{1f}".utf8) + [0x80, 0xc3, 0xed, 0xf0, 0xff]
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let byte = interesting[Int.random(in: 0..<interesting.count, using: &random)]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(byte, at: place)
        case 2: bytes[place] = byte
        case 3: bytes.removeSubrange(place...)
        default:
            let end = min(bytes.count, place + Int.random(in: 1...12, using: &random))
            bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
        }
    }

    private func byCursor(_ reader: JSONReader) -> Value {
        switch reader.kind {
        case .null: return .null
        case .bool: return .bool(reader.bool ?? false)
        case .number: return .double(reader.double ?? .nan)
        case .string: return .string(reader.string ?? "")
        case .array: return .list(ValueList(reader.elements.map(byCursor)))
        case .object: return .map(ValueMap(reader.members.map { ($0.key.string, byCursor($0.value)) }))
        }
    }

    private func normalised(_ tree: Value) -> String {
        switch tree {
        case .double(let number): return (number == 0 ? 0 : number).description
        case .list(let list): return "[" + list.elements.map(normalised).joined(separator: ",") + "]"
        case .map(let map):
            let members = map.map { entry in "\(entry.key):\(normalised(entry.value))" }
            return "{" + members.sorted().joined(separator: ",") + "}"
        default: return "\(tree)"
        }
    }
}
