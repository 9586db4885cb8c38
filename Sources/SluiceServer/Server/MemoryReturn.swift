internal import EventLoop

/// Returns memory that clients have freed to the system, once the server is quiet.
///
/// The C library keeps freed memory for later, and after many clients have left that is most of the
/// process.
final class MemoryReturn {
    /// Milliseconds without another client leaving, after which the server is quiet.
    private static let quiet: UInt64 = 1_000

    private let loop: Loop
    private var last: UInt64 = 0
    private var timer: LoopTimer?

    init(on loop: Loop) throws(UVError) {
        self.loop = loop
        timer = try LoopTimer(on: loop) { [unowned self] in act() }
        timer?.keepsLoopAlive = false
    }

    /// A client has left and freed memory.
    func note() {
        last = loop.now
        guard let timer, !timer.isActive else { return }
        timer.start(after: .milliseconds(Int64(Self.quiet)))
    }

    private func act() {
        let passed = loop.now - last
        guard passed >= Self.quiet else {
            timer?.start(after: .milliseconds(Int64(Self.quiet - passed)))
            return
        }
        OwnProcess.returnFreedMemory()
    }
}
