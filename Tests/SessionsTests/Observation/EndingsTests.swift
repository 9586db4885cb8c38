import Testing

@testable import Graphs
@testable import Sessions

/// What an observer holds back of what has ended: in full as far as there is room.
@Suite("Endings")
struct EndingsTests {
    /// Something that takes 100 bytes and, in the account of ``Endings``, 64 more.
    private struct Part: Ending {
        let number: Int
        var wasShown = true
        var isBrief = false
        var heldBytes: Int { 100 }
        var brief: Part { Part(number: number, wasShown: wasShown, isBrief: true) }
    }

    @Test("Beyond the bytes the oldest become brief, in order; what was never shown is left out")
    func bytes() {
        var endings = Endings<Part>(atMost: 1_000)
        for number in 0..<10 { endings.append(Part(number: number, wasShown: number != 2)) }
        #expect(endings.all.map(\.number) == [0, 1, 3, 4, 5, 6, 7, 8, 9])
        #expect(endings.all.map(\.isBrief) == [true, true, true] + Array(repeating: false, count: 6))
    }

    @Test("There is as much room after every message as after the first")
    func again() {
        var endings = Endings<Part>(atMost: 1_000)
        for _ in 0..<3 {
            #expect(endings.isEmpty)
            for number in 0..<6 { endings.append(Part(number: number)) }
            #expect(endings.all.map(\.isBrief) == Array(repeating: false, count: 6))
            endings.removeAll()
        }
    }

    @Test("Ten thousand are held in full, whatever room there is")
    func count() {
        var endings = Endings<Part>(atMost: .max)
        for number in 0..<25_000 { endings.append(Part(number: number, wasShown: number < 5)) }
        let all = endings.all
        #expect(all.count == 10_005)
        #expect(all.prefix(5).map(\.number) == [0, 1, 2, 3, 4])
        #expect(all.prefix(5).map(\.isBrief) == [true, true, true, true, true])
        #expect(all.dropFirst(5).map(\.number) == Array(15_000..<25_000))
    }
}
