internal import EventLoop
internal import GraphHost
internal import Logging

// Releasing what is kept only for later use, when memory is short (G-131).
extension Server {
    /// Watches one pressure file for as long as the result lives.
    typealias OpenPressure = (Loop, _ path: String, _ action: @escaping () -> Void) throws(UVError) ->
        AnyObject

    /// The kernel's pressure files.
    static let kernelPressure: @Sendable (Loop, String, @escaping () -> Void) throws(UVError) -> AnyObject = {
        loop,
        path,
        action throws(UVError) in
        try MemoryPressure(on: loop, path: path, action: action)
    }

    /// Releases the unused nodes retained `untilPressure`, as if memory were short.
    ///
    /// - Parameter reason: for the log.
    public func releaseUnused(because reason: String) {
        beginTurn()
        let released = host.flushUnused()
        memoryReturn?.note()
        log.info("memory is short", metadata: ["because": "\(reason)", "releasedNodes": "\(released)"])
    }

    /// Does the same in one graph, for nodes with matching names.
    func flush(_ graph: LiveGraph, matching pattern: String) -> Host.Flushed {
        let flushed = host.flushUnused(of: graph, matching: pattern)
        memoryReturn?.note()
        log.info(
            "flushed",
            metadata: ["graph": "\(graph.name)", "match": "\(pattern)", "releasedNodes": "\(flushed.nodes)"]
        )
        return flushed
    }

    /// Opens the first pressure file that can be watched; the server also runs without one.
    func openMemoryPressure() -> AnyObject? {
        let configured = configuration.fixed.memoryPressure
        guard configured != "off" else { return nil }
        var failure = ""
        for path in configured == "auto" ? MemoryPressure.paths() : [configured] {
            do throws(UVError) {
                let watcher = try openPressure(loop, path) { [unowned self] in releaseUnused(because: path) }
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
