internal import CLibuv
internal import Platform

/// This process and the machine it runs on, as far as a server needs to know them.
///
/// Transcribes the parts of https://docs.libuv.org/en/v1.x/misc.html.
public enum OwnProcess {
    /// Raises the limit of open descriptors as far as the system lets it, and returns the limit
    /// then in force.
    @discardableResult
    public static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(descriptorResource, &limit) == 0 else { return 0 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if unsafe setrlimit(descriptorResource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The limit of open descriptors in force.
    public static var descriptorLimit: Int {
        var limit = rlimit()
        return unsafe getrlimit(descriptorResource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
    }

    /// Lets other threads have the processor before the calling one, from now on; only on Linux,
    /// where threads have priorities of their own.
    public static func lowerThreadPriority() {
        #if os(Linux)
            _ = uv_os_setpriority(0, UV_PRIORITY_BELOW_NORMAL)
        #endif
    }

    /// Gives memory that was freed back to the system; takes some milliseconds for a hundred
    /// megabytes.
    public static func returnFreedMemory() {
        #if canImport(Glibc)
            malloc_trim(0)
        #endif
    }

    /// Sets the limit of open descriptors, within what the system allows; for tests of running out
    /// of them.
    package static func lowerDescriptorLimit(to count: Int) -> Bool {
        var limit = rlimit()
        guard unsafe getrlimit(descriptorResource, &limit) == 0 else { return false }
        limit.rlim_cur = rlim_t(count)
        return unsafe setrlimit(descriptorResource, &limit) == 0
    }

    /// How many descriptors are open; nil where the system has no folder that lists them.
    public static var openDescriptors: Int? {
        // The listing itself has one open.
        (try? Files.names(in: "/proc/self/fd")).map { $0.count - 1 }
    }

    /// Makes writing to a closed socket an error instead of the end of the process.
    ///
    /// Once per program, at its start.
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Bytes of memory resident, 0 when unknown.
    public static var residentBytes: Int {
        var size = 0
        return unsafe uv_resident_set_memory(&size) == 0 ? size : 0
    }

    /// Processor time used so far by all threads of the process, in user code and in the kernel.
    public static var processorTime: (user: Duration, system: Duration) {
        var usage = uv_rusage_t()
        guard unsafe uv_getrusage(&usage) == 0 else { return (.zero, .zero) }
        func duration(_ time: uv_timeval_t) -> Duration {
            .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec))
        }
        return (duration(usage.ru_utime), duration(usage.ru_stime))
    }

    /// Nanoseconds of a clock that never goes back, read now, for measuring; its zero has no
    /// meaning.
    public static var nanoseconds: UInt64 { uv_hrtime() }

    /// The process's number.
    public static var identifier: Int32 { uv_os_getpid() }

    /// The path of the program that runs, with all links resolved; empty when unknown.
    public static var executable: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            unsafe buffer.initialize(repeating: 0)
            var size = buffer.count
            return unsafe uv_exepath(buffer.baseAddress!, &size) == 0
                ? String(cString: buffer.baseAddress!) : ""
        }
    }

    /// The machine's name, empty when unknown.
    public static var hostName: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            unsafe buffer.initialize(repeating: 0)
            var size = buffer.count
            return unsafe uv_os_gethostname(buffer.baseAddress!, &size) == 0
                ? String(cString: buffer.baseAddress!) : ""
        }
    }
}

#if canImport(Glibc)
    private let descriptorResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
    private let descriptorResource = RLIMIT_NOFILE
#endif
