internal import EventLoop
internal import Logging

/// The kernel's files that say when memory is short.
struct PressureFiles {
    /// Watches one file for as long as the result lives; tests replace it.
    var watch: (_ path: String, _ action: @escaping () -> Void) throws(UVError) -> AnyObject

    init(on loop: Loop) {
        watch = { path, action throws(UVError) in
            try MemoryPressure(on: loop, path: path, action: action)
        }
    }

    /// Opens the first file that can be watched, of a path, `auto` or `off`.
    ///
    /// The server also runs without one: then the result is nil. Otherwise it keeps the watch
    /// alive, which calls `action` with the path when memory is short.
    func open(_ configured: String, _ log: Logger, _ action: @escaping (String) -> Void) -> AnyObject? {
        guard configured != "off" else { return nil }
        var failure = ""
        for path in configured == "auto" ? MemoryPressure.paths() : [configured] {
            do throws(UVError) {
                let watcher = try watch(path) { action(path) }
                log.debug("memory pressure is watched", metadata: ["file": "\(path)"])
                return watcher
            } catch {
                failure = "\(path): \(error)"
            }
        }
        let level: Logger.Level = configured == "auto" ? .info : .warning
        log.log(level: level, "nothing says when memory is short", metadata: ["error": "\(failure)"])
        return nil
    }
}
