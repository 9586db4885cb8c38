import DiskSupport
import LogTestSupport
import TestSupport
import Testing

@testable import SQLiteLog

/// Stores whose checksums are right and whose content no server has written.
///
/// `SLUICE_NIGHTLY=1` changes 200,000 stores instead of 240. `SLUICE_SEED=n` plays one of them in
/// this process.
@Suite("A store with hostile content")
struct HostileStoreTests {
    private static let fuzz = Fuzz("store", short: 240, long: 200_000)
    private static let histories: UInt64 = 6

    /// Changes one of the histories, and does all that is done with a store.
    private static func play(_ number: UInt64, _ history: StoredHistory) -> Fuzz.Verdict {
        let disk = history.disk.copy(seed: number)
        do {
            var mutation = try StoreMutation(disk, Hostility(seed: number))
            var visit = StoreVisit(disk, wall: history.wall, try mutation.run())
            return visit.run()
        } catch {
            return .failed("the store cannot be changed: \(error)")
        }
    }

    private static func play(part: Int) throws {
        let all = try (0..<histories).map { try StoredHistory(seed: $0) }
        fuzz.play(part: part) { play($0, all[Int($0 % histories)]) }
    }

    @Test("It is refused with an error, or served: at the start, in the past, and in a replay")
    func even() async throws {
        if let only = Fuzz.only {
            let verdict = Self.play(only, try StoredHistory(seed: only % Self.histories))
            if case .failed(let why) = verdict { Issue.record("SLUICE_SEED=\(only): \(why)") }
            return
        }
        let result = await #expect(processExitsWith: .success) { try HostileStoreTests.play(part: 0) }
        let report = Self.fuzz.report(of: 0)
        if result == nil { Issue.record("\(report)") }
    }

    @Test("The same for the other half of them", .enabled(if: Fuzz.only == nil))
    func odd() async {
        let result = await #expect(processExitsWith: .success) { try HostileStoreTests.play(part: 1) }
        let report = Self.fuzz.report(of: 1)
        if result == nil { Issue.record("\(report)") }
    }
}
