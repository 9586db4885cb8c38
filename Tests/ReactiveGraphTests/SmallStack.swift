#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Testing

/// Runs `body` on a thread with a stack of the given size.
func onThread(stackBytes: Int, _ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    #expect(pthread_attr_setstacksize(&attributes, stackBytes) == 0)
    let box = Unmanaged.passRetained(Body(run: body))
    #if canImport(Glibc)
        var thread = pthread_t()
    #else
        var thread: pthread_t?
    #endif
    let failed = pthread_create(
        &thread,
        &attributes,
        { argument in
            #if canImport(Glibc)
                Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
            #else
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            #endif
            return nil
        },
        box.toOpaque()
    )
    #expect(failed == 0)
    #if canImport(Glibc)
        pthread_join(thread, nil)
    #else
        pthread_join(thread!, nil)
    #endif
    pthread_attr_destroy(&attributes)
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}
