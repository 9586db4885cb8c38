import Support
import Testing

@testable import SluiceServer

@Suite("Wrong tokens are slowed for each address")
struct WrongTokenTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test("limits.wrongTokens: a second's worth, then one by one; other addresses are not affected")
    func rate() throws {
        var tokens = WrongTokens(rate: 5)
        let (one, other) = (try address("192.0.2.1"), try address("192.0.2.2"))
        for _ in 0..<5 { #expect(tokens.note(from: one, at: 10_000) == nil) }
        #expect(tokens.note(from: one, at: 10_000) == 200)
        #expect(tokens.note(from: other, at: 10_000) == nil)
        #expect(tokens.note(from: one, at: 10_199) == 1)
        #expect(tokens.note(from: one, at: 10_200) == nil)
        #expect(tokens.shown == 9 && tokens.limited == 2)
        // Over a minute, and whatever the second begins with: five a second.
        var taken = 0
        for now in stride(from: UInt64(20_000), to: 80_000, by: 10)
        where tokens.note(from: one, at: now) == nil {
            taken += 1
        }
        #expect((300...305).contains(taken), "\(taken)")
    }

    @Test("an IPv6 network of 64 bits is one address, and what comes from none is one, too")
    func networks() throws {
        var tokens = WrongTokens(rate: 1)
        #expect(tokens.note(from: try address("2001:db8::1"), at: 0) == nil)
        #expect(tokens.note(from: try address("2001:db8::ffff:1"), at: 0) != nil)
        #expect(tokens.note(from: try address("2001:db8:0:1::1"), at: 0) == nil)
        #expect(tokens.note(from: nil, at: 0) == nil)
        #expect(tokens.note(from: nil, at: 0) != nil)
    }

    @Test(
        "no more than so many addresses are remembered; the others share one bucket, and a quiet second frees all"
    )
    func bound() {
        var tokens = WrongTokens(rate: 2)
        for number in 0..<UInt64(3 * WrongTokens.mostPlaces) {
            _ = tokens.note(from: IPAddress(high: number << 20 | 1 << 60, low: 0), at: 500)
        }
        #expect(tokens.placeCount == WrongTokens.mostPlaces + 1)
        #expect(tokens.limited == UInt64(2 * WrongTokens.mostPlaces - 2))
        _ = tokens.note(from: nil, at: 2_600)
        #expect(tokens.placeCount == 1)
    }

    @Test("0 is no bound")
    func off() {
        var tokens = WrongTokens(rate: 0)
        for _ in 0..<100_000 { #expect(tokens.note(from: nil, at: 0) == nil) }
        #expect(tokens.shown == 100_000 && tokens.placeCount == 0)
    }
}
