import TestSupport
import Testing

@testable import GraphHost

@Suite("Finding objects by the bytes of their names")
struct NameTableTests {
    private final class Box {
        let name: String
        init(_ name: String) { self.name = name }
    }

    private func table(_ names: [String]) -> NameTable<Box> {
        var table = NameTable<Box>()
        for name in names { table.insert(Box(name), named: name) }
        return table
    }

    @Test("names that differ in one byte are different, wherever it is and however long they are")
    func oneByte() {
        for length in 1...40 {
            let plain = String(repeating: "a", count: length)
            let names = (0..<length).map { place in
                String(plain.prefix(place)) + "b" + String(plain.dropFirst(place + 1))
            }
            let table = table(names + [plain])
            for name in names + [plain] { #expect(table[name]?.name == name) }
            #expect(table[plain + "a"] == nil && table[String(plain.dropLast())] == nil)
            #expect(table[String(repeating: "c", count: length)] == nil)
        }
    }

    @Test("who was removed is gone, and the others are found")
    func removed() {
        var names = Set<String>()
        var random = SeededGenerator(seed: 7)
        while names.count < 500 {
            let length = Int.random(in: 1...30, using: &random)
            names.insert(String((0..<length).map { _ in "ab_9".randomElement(using: &random)! }))
        }
        let order = names.sorted()
        var table = table(order)
        for name in order.enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
            table.remove(named: name)
        }
        for (place, name) in order.enumerated() {
            #expect(table[name]?.name == (place % 3 == 0 ? nil : name))
        }
    }

    @Test("Names that come and go leave nothing behind, and those that stay are found")
    func comingAndGoing() {
        let stays = ["one whose middle is not in its ends", "another whose middle is not in its ends"]
        var table = table(stays)
        let size = Self.size(of: table)
        for number in 0..<100 {
            let name = "a name for a while, number \(number), of some length"
            table.insert(Box(name), named: name)
            if number == 50 {
                table.remove(named: stays[0])
                table.insert(Box(stays[0]), named: stays[0])
            }
            #expect(table[name]?.name == name)
            table.remove(named: name)
            #expect(table[name] == nil)
            for name in stays { #expect(table[name]?.name == name) }
        }
        #expect(Self.size(of: table) == size)
    }

    /// How many elements its arrays have.
    private static func size(of table: NameTable<Box>) -> Int {
        Mirror(reflecting: table).children.reduce(0) { $0 + Mirror(reflecting: $1.value).children.count }
    }
}
