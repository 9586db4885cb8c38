import Support
import Testing

@Suite("What a loop is doing")
struct ActivityTests {
    @Test("is seen during a turn, and not between two")
    func turns() {
        let activity = Activity()
        #expect(activity.turn == nil)
        #expect(activity.turnsBegun == 0)
        _ = activity.beginTurn(at: 7)
        #expect(activity.turn == Activity.Turn(number: 1, began: 7, work: .none))
        activity.note(.request, connection: 12)
        #expect(activity.turn == Activity.Turn(number: 1, began: 7, work: .request, connection: 12))
        #expect(activity.endTurn() == 7)
        #expect(activity.turn == nil)
        #expect(activity.turnsBegun == 1)
        _ = activity.beginTurn(at: 9)
        #expect(activity.turn == Activity.Turn(number: 2, began: 9, work: .none))
    }

    @Test("names the graph of a commit, 32 bytes of it")
    func graph() {
        final class Graph {}
        let (one, other) = (Graph(), Graph())
        let activity = Activity()
        _ = activity.beginTurn(at: 1)
        activity.noteCommit(to: one, named: "häuser")
        #expect(activity.turn?.work == .commit)
        #expect(activity.turn?.graph == "häuser")
        activity.noteCommit(to: other, named: String(repeating: "x", count: 40))
        #expect(activity.turn?.graph == String(repeating: "x", count: 32))
        activity.noteCommit(to: one, named: "häuser")
        #expect(activity.turn?.graph == "häuser")
        activity.note(.delivery)
        #expect(activity.turn?.graph == "")
    }

    @Test("wakes a watchdog that has stopped looking, once")
    func waking() {
        let activity = Activity()
        #expect(activity.beginTurn(at: 1))
        _ = activity.endTurn()
        #expect(!activity.beginTurn(at: 2))
        _ = activity.endTurn()
        #expect(activity.stopWatching(after: 2))
        #expect(activity.beginTurn(at: 3))
        _ = activity.endTurn()
        // A turn has begun since the watchdog looked: it must look again instead.
        #expect(!activity.stopWatching(after: 2))
        #expect(!activity.beginTurn(at: 4))
    }
}
