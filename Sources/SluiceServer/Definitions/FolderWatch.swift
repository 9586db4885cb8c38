internal import EventLoop

/// Tells when the files of a folder have changed and stand still again.
///
/// It looks at names, sizes, times and inodes, and opens nothing: that sees a file that an editor puts in another's
/// place, and works on file systems that report no events. What is still being written when it looks is looked at
/// again before anybody is told.
final class FolderWatch {
    /// Between two looks.
    static let interval = Duration.milliseconds(500)

    private let folder: String
    private let onChange: () -> Void
    private var timer: Timer?
    /// What was there when it was last told, and at the last look.
    private var told: [FileSystem.Entry]?
    private var seen: [FileSystem.Entry]?

    /// Watches from now on.
    init(_ folder: String, on loop: Loop, onChange: @escaping () -> Void) throws(UVError) {
        self.folder = folder
        self.onChange = onChange
        told = FileSystem.entries(in: folder)
        seen = told
        timer = try Timer(on: loop) { [unowned self] in look() }
        timer?.keepsLoopAlive = false
        timer?.start(after: Self.interval, every: Self.interval)
    }

    private func look() {
        let now = FileSystem.entries(in: folder)
        let stands = now == seen
        seen = now
        guard stands, now != told else { return }
        told = now
        onChange()
    }
}
