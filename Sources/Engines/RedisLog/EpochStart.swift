internal import Platform

/// Begins an epoch of all graphs when a server starts, unless another one is running.
///
/// Redis may have been put back to an older copy while no server was running. A server that runs
/// notices that, and the graphs go on from what it holds (``GraphRecovery``).
struct EpochStart {
    /// Between two looks for another server, in milliseconds.
    private static let look = 100

    private let store: any StreamStore
    private let pause: (_ milliseconds: Int) -> Void

    init(_ store: any StreamStore, _ pause: @escaping (_ milliseconds: Int) -> Void) {
        (self.store, self.pause) = (store, pause)
    }

    func begin(_ epoch: String) throws(RedisError) {
        let signs = try store.signs()
        // Servers that were killed leave their signs of life, so wait for the next ones.
        var rest = signs.isEmpty ? 0 : Int(2 * RedisLog.pulse)
        while rest > 0 {
            pause(Self.look)
            rest -= Self.look
            guard try store.signs() == signs else { return }
        }
        _ = try store.begin(epoch: epoch, unlessChanged: signs)
    }

    static func sleep(_ milliseconds: Int) { usleep(UInt32(milliseconds) * 1_000) }
}
