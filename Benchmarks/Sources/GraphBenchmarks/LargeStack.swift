#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Runs `body` on a thread of its own with a stack of the given size, and waits for it.
func onLargeStack(megabytes: Int, _ body: @escaping @Sendable () -> Bool) -> Bool {
    final class Work {
        let body: () -> Bool
        var result = false
        init(_ body: @escaping () -> Bool) { self.body = body }
    }
    let work = Work(body)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, megabytes << 20)
    #if canImport(Glibc)
        var thread = pthread_t()
    #else
        var thread: pthread_t?
    #endif
    let argument = Unmanaged.passUnretained(work).toOpaque()
    let status = pthread_create(
        &thread,
        &attributes,
        { argument in
            #if canImport(Glibc)
                guard let argument else { return nil }
            #endif
            let work = Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue()
            work.result = work.body()
            return nil
        },
        argument
    )
    pthread_attr_destroy(&attributes)
    precondition(status == 0, "no thread with a stack of \(megabytes) MB")
    #if canImport(Glibc)
        pthread_join(thread, nil)
    #else
        if let thread { pthread_join(thread, nil) }
    #endif
    return withExtendedLifetime(work) { work.result }
}
