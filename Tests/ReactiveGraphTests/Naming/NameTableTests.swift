import TestSupport
import Testing

@testable import ReactiveGraph

@Suite("Finding objects by the bytes of their names")
struct NameTableTests {
    private final class Box {
        let name: String
        init(_ name: String) { self.name = name }
    }

    private func table(_ names: [String]) -> NameTable {
        let table = NameTable { ($0 as? Box)?.name ?? "" }
        for name in names { table.insert(Box(name), named: name) }
        return table
    }

    private func found(_ name: String, _ table: NameTable) -> String? { (table[name] as? Box)?.name }

    private func listed(_ table: NameTable) -> [String] { table.compactMap { ($0 as? Box)?.name } }

    @Test("names that differ in one byte are different, wherever it is and however long they are")
    func oneByte() {
        for length in 1...40 {
            let plain = String(repeating: "a", count: length)
            let names = (0..<length).map { place in
                String(plain.prefix(place)) + "b" + String(plain.dropFirst(place + 1))
            }
            let table = table(names + [plain])
            for name in names + [plain] { #expect(found(name, table) == name) }
            #expect(table[plain + "a"] == nil && table[String(plain.dropLast())] == nil)
            #expect(table[String(repeating: "c", count: length)] == nil)
        }
    }

    @Test("A name that was removed is gone, the others are found, and keep their order")
    func removed() {
        var names = Set<String>()
        var random = SeededGenerator(seed: 7)
        while names.count < 500 {
            let length = Int.random(in: 1...30, using: &random)
            names.insert(String((0..<length).map { _ in "ab_9".randomElement(using: &random)! }))
        }
        let order = names.sorted()
        let table = table(order)
        var left = order
        for name in order.shuffled(using: &random).prefix(350) {
            table.remove(named: name)
            left.removeAll { $0 == name }
            #expect(listed(table) == left && table.count == left.count)
        }
        for name in order { #expect(found(name, table) == (left.contains(name) ? name : nil)) }
        table.remove(named: "never there")
        for name in order where !left.contains(name) { table.insert(Box(name), named: name) }
        #expect(listed(table) == left + order.filter { !left.contains($0) })
        for name in order { #expect(found(name, table) == name) }
    }

    @Test("Names that come and go leave nothing behind, and those that stay are found")
    func comingAndGoing() {
        let stays = ["one whose middle is not in its ends", "another whose middle is not in its ends"]
        let table = table(stays)
        for number in 0..<1000 {
            let name = "a name for a while, number \(number), of some length"
            table.insert(Box(name), named: name)
            if number % 100 == 50 {
                table.remove(named: stays[0])
                table.insert(Box(stays[0]), named: stays[0])
            }
            #expect(found(name, table) == name)
            table.remove(named: name)
            #expect(table[name] == nil)
            for name in stays { #expect(found(name, table) == name) }
        }
        #expect(table.rows.count <= 12 && table.slots.count <= 16 && table.count == 2)
    }

    @Test(
        "Any history of a large table, which grows and closes its holes by small steps, is that of a dictionary"
    )
    func histories() {
        var random = SeededGenerator(seed: 11)
        let table = table([])
        var order: [String] = []
        var known: Set<String> = []
        for round in 0..<12 {
            let isGrowing = round % 3 < 2
            for _ in 0..<2_000 {
                let name = "name \(random.below(9_000)) of a table that is large"
                if isGrowing || random.chance(1, in: 8) {
                    guard known.insert(name).inserted else { continue }
                    table.insert(Box(name), named: name)
                    order.append(name)
                } else if let gone = order.indices.randomElement(using: &random) {
                    known.remove(order[gone])
                    table.remove(named: order.remove(at: gone))
                }
                #expect((found(name, table) == name) == known.contains(name))
            }
            #expect(listed(table) == order && table.count == order.count)
            for name in order { #expect(found(name, table) == name) }
        }
        for name in order { table.remove(named: name) }
        #expect(listed(table).isEmpty && table.rows.count == 0 && table.slots.count == 8)
    }
}
