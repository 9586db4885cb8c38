internal import EventLoop

/// Notices when the files of a folder have changed and are stable again.
///
/// It compares names, sizes, inodes and times (of any change, so a file rewritten with its former
/// size and time is noticed too), and opens nothing: that works where an editor replaces a file,
/// and on file systems without events. A file that is still being written is checked again before
/// the change is reported.
final class FolderWatch {
    /// The time between two checks.
    static let interval = Duration.milliseconds(500)

    private let folder: String
    private let onChange: () -> Void
    private var timer: LoopTimer?
    /// The entries at the last report, and at the last check.
    private var reported: [FileSystem.Entry]?
    private var seen: [FileSystem.Entry]?

    /// Watches from now on.
    init(_ folder: String, on loop: Loop, onChange: @escaping () -> Void) throws(UVError) {
        self.folder = folder
        self.onChange = onChange
        reported = FileSystem.entries(in: folder)
        seen = reported
        timer = try LoopTimer(on: loop) { [unowned self] in look() }
        timer?.keepsLoopAlive = false
        timer?.start(after: Self.interval, every: Self.interval)
    }

    private func look() {
        let now = FileSystem.entries(in: folder)
        let stands = now == seen
        seen = now
        guard stands, now != reported else { return }
        reported = now
        onChange()
    }
}
