import Commits
import Testing

@Suite("The epochs of a history")
struct EpochsTests {
    @Test("W-2: a cursor of an earlier epoch is valid up to its last rev, and one of an unknown epoch never")
    func held() {
        var epochs = Epochs("a")
        #expect(epochs.hold(7, of: "a") && epochs.earlier.isEmpty && epochs.epoch(of: 1) == "a")
        epochs.begin("b", after: 10)
        epochs.begin("c", after: 15)
        #expect(epochs.present == "c" && epochs.earlier == "b@15 a@10")
        #expect(epochs.hold(10, of: "a") && !epochs.hold(11, of: "a"))
        #expect(epochs.hold(15, of: "b") && !epochs.hold(16, of: "b") && epochs.hold(99, of: "c"))
        #expect(!epochs.hold(0, of: "d") && !epochs.hold(0, of: ""))
        #expect([1, 10, 11, 15, 16].map { epochs.epoch(of: $0) } == ["a", "a", "b", "b", "c"])
    }

    @Test("W-2: what an earlier epoch had above the rev of a start is not in the history")
    func putBack() {
        var epochs = Epochs("c", earlier: "b@15 a@10")
        // The end of the store is missing.
        epochs.begin("d", after: 12)
        #expect(epochs.earlier == "c@12 b@12 a@10")
        #expect(epochs.hold(12, of: "b") && !epochs.hold(13, of: "b") && !epochs.hold(13, of: "c"))
        #expect([10, 11, 12, 13].map { epochs.epoch(of: $0) } == ["a", "b", "b", "d"])
    }

    @Test("The last 64 epochs are kept; text in another form is left out")
    func kept() {
        var epochs = Epochs("e0")
        for number in 1...100 { epochs.begin("e\(number)", after: UInt64(number)) }
        #expect(epochs.hold(37, of: "e36") && !epochs.hold(36, of: "e35"))
        #expect(epochs.epoch(of: 1) == "e36")
        #expect(Epochs("e100", earlier: epochs.earlier) == epochs)
        #expect(Epochs("b", earlier: "a@5 nothing @ x@y z@9").earlier == "a@5 z@5")
    }
}
