#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The processor time that `work` takes on this thread, in seconds: other work on the machine, and
/// other tests, do not count.
public func processorSeconds<Failure: Error>(of work: () throws(Failure) -> Void) throws(Failure) -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let before = now()
    try work()
    return now() - before
}
