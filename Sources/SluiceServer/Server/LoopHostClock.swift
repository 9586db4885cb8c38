internal import EventLoop
internal import Graphs

/// The loop's time, as the host reads it.
final class LoopHostClock: HostClock {
    private let loop: Loop

    init(_ loop: Loop) {
        self.loop = loop
    }

    var now: UInt64 { loop.now }
    var wall: UInt64 { UInt64(max(0, loop.wallClock)) }
}
