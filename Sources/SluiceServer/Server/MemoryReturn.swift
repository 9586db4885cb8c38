internal import EventLoop

/// Gives the memory that clients have let go of back to the system, once it is quiet.
///
/// The C library keeps what was freed for later, and after a storm that is most of what the process has.
final class MemoryReturn {
    /// Milliseconds without another client leaving, after which it is quiet.
    private static let quiet: UInt64 = 1_000

    private let loop: Loop
    private var last: UInt64 = 0
    private var timer: Timer?

    init(on loop: Loop) throws(UVError) {
        self.loop = loop
        timer = try Timer(on: loop) { [unowned self] in act() }
        timer?.keepsLoopAlive = false
    }

    /// A client has left, and memory with it.
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
