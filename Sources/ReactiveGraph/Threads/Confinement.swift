#if DEBUG
    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif
#endif

// A graph belongs to one thread (G-108). The compiler keeps its objects there; what gets past the
// compiler is noticed in debug builds, at the entry points that are not called for each delivery.
// Release builds check nothing.
extension Graph {
    /// Stops a call from another thread than the graph's, in debug builds.
    @inlinable
    @inline(__always)
    func checkThread(_ operation: StaticString) {
        #if DEBUG
            trapUnlessCurrent(operation)
        #endif
    }

    #if DEBUG
        @usableFromInline
        func trapUnlessCurrent(_ operation: StaticString) {
            guard checksThread else { return }
            let isCurrent = executor?.isCurrent ?? (thread == Graph.currentThread)
            precondition(
                isCurrent,
                "\(operation): called on another thread than the graph's; use the graph's handle, or a node's"
            )
        }

        static var currentThread: UInt {
            #if canImport(Darwin)
                UInt(bitPattern: pthread_self())
            #else
                UInt(pthread_self())
            #endif
        }
    #endif
}
