internal import EventLoop
internal import Graphs
internal import Logging

/// What a server does about memory while it serves: returns what clients have freed, counts what
/// leaks, and watches whether memory is short.
final class MemoryCare {
    private let freed: MemoryReturn
    private let leaks: LeakRounds
    /// Watches the file that says that memory is short; nil if there is none.
    let pressure: AnyObject?

    /// Begins; `onShortage` is called with the file that says that memory is short.
    init(
        _ host: Host,
        _ turns: Turns,
        _ files: PressureFiles,
        watching path: String,
        _ log: Logger,
        onShortage: @escaping (String) -> Void
    ) throws(UVError) {
        freed = try MemoryReturn(on: turns.loop)
        leaks = LeakRounds(host, turns)
        pressure = files.open(path, log, onShortage)
    }

    /// A client has left, or nodes were released.
    func noteFreed() { freed.note() }

    /// The metrics are being read.
    func countLeaks() { leaks.begin() }
}
