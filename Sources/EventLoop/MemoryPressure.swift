internal import CLibuv
internal import Platform

/// Calls an action on the loop when Linux says that tasks have to wait for memory (pressure stall
/// information, https://docs.kernel.org/accounting/psi.html).
///
/// A trigger is written to a pressure file and the file is watched with `uv_poll_t` for an
/// exceptional condition (https://docs.libuv.org/en/v1.x/poll.html, `UV_PRIORITIZED`). The kernel
/// reports at most once per window. Dropping the watcher takes the trigger back. It does not keep
/// the loop running.
public final class MemoryPressure {
    /// The triggers that are tried, in order: tasks waited 150 ms in one second; or 300 ms in two
    /// seconds, the shortest window that a process without privileges may ask for.
    public static let triggers = ["some 150000 1000000", "some 300000 2000000"]

    /// The pressure file that is watched.
    public let path: String

    private let descriptor: Int32
    private var handle: Watched?
    private let action: () -> Void

    /// The files of this process, nearest first: that of its own control group, then that of the
    /// machine.
    public static func paths() -> [String] {
        var paths: [String] = []
        let groups = (try? Files.readKernelFile("/proc/self/cgroup")) ?? []
        for line in String(decoding: groups, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("0::/") {
            let group = line.dropFirst(3)
            paths.append("/sys/fs/cgroup" + (group == "/" ? "" : group) + "/memory.pressure")
        }
        return paths + ["/proc/pressure/memory"]
    }

    /// Starts watching the pressure file at `path`.
    ///
    /// - Throws: what the system says where there is no such file, or no trigger may be set on it.
    public init(on loop: Loop, path: String, action: @escaping () -> Void) throws(UVError) {
        self.path = path
        self.action = action
        descriptor = try Self.open(path)
        // From here on everything is set, and `deinit` closes the descriptor also where one of
        // these throws.
        try Self.arm(descriptor)
        handle = try Watched(descriptor, on: loop) { [unowned self] in self.action() }
        handle?.onFailure = { [unowned self] in handle = nil }
    }

    deinit {
        handle = nil
        close(descriptor)
    }

    /// Whether the file is still watched: not once its control group is gone.
    public var isWatching: Bool { handle != nil }

    private static func open(_ path: String) throws(UVError) -> Int32 {
        #if canImport(Darwin)
            throw UVError(errno: ENOTSUP, call: "open")
        #else
            let descriptor = unsafe Platform.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw UVError(errno: errno, call: "open") }
            return descriptor
        #endif
    }

    private static func arm(_ descriptor: Int32) throws(UVError) {
        var failure = errno
        for trigger in triggers {
            // With the final zero, as the kernel's own example has it.
            let count = unsafe trigger.withCString { unsafe write(descriptor, $0, trigger.utf8.count + 1) }
            if count == trigger.utf8.count + 1 { return }
            failure = errno
        }
        throw UVError(errno: failure, call: "write")
    }
}
