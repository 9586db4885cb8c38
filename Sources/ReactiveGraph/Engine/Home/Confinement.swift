#if DEBUG
    internal import CConcurrency
#endif
internal import Support

// A graph has one home (G-108): what serialises its calls. The compiler keeps its objects there;
// what gets past the compiler is noticed in debug builds, at the entry points that are not called
// for each delivery. Release builds check nothing.
extension Graph {
    /// Stops a call from outside the graph's home, in debug builds.
    @inlinable
    @inline(__always)
    func checkThread(_ operation: StaticString) {
        #if DEBUG
            trapUnlessHere(operation)
        #endif
    }

    /// Binds this graph to the caller: its actor, or outside actors its task, or else its thread.
    ///
    /// Call it where a graph arrives that was handed over, such as a `sending` parameter or result,
    /// before any other use. From then on debug builds stop calls from elsewhere, the graph's old
    /// home included.
    ///
    /// ```swift
    /// let model = await Factory().makeModel()
    /// model.graph.adoptIsolation()  // from here on it belongs to this task
    /// ```
    /// A graph with an executor stays with its executor. A graph made outside an actor, or in an
    /// actor's initialiser, needs no call: the first actor that uses it adopts it. In release
    /// builds this does nothing.
    ///
    /// - Parameter isolation: the actor that the graph belongs to now; the caller's by default.
    public func adoptIsolation(_ isolation: (any Actor)? = #isolation) {
        #if DEBUG
            if executor == nil {
                let new = Home(isolation)
                home.withLock { $0 = new }
            } else {
                trapUnlessHere("adoptIsolation")
            }
        #endif
    }

    #if DEBUG
        @usableFromInline
        func trapUnlessHere(_ operation: StaticString) {
            guard !isHere else { return }
            let home = home.withLock { $0 }
            let place = executor == nil ? home.description : "its executor's thread"
            let remedy =
                executor == nil
                ? "call it there; if the graph was handed over, first call adoptIsolation() in its new place"
                : "use the graph's handle, or a node's"
            preconditionFailure(
                "\(operation): the graph belongs to \(place), and the caller is elsewhere; \(remedy)"
            )
        }

        /// Whether the caller is at the graph's home.
        ///
        /// An actor that is gone counts as here: what it owned may end in its own `deinit`, where
        /// no weak reference finds it any more.
        ///
        /// The answer never stops the program, with one exception: on a thread without a task, for
        /// a graph of an actor whose executor can only be asked by a precondition.
        var isHere: Bool {
            guard checksThread else { return true }
            if let executor { return executor.isCurrent }
            switch home.withLock({ $0 }) {
            case .isolation(let isolation): return isolation.isCurrent
            case .task, .thread: break
            }
            // The first actor that uses the graph adopts it. The compiler lets no graph leave an
            // actor again, unless as a `sending` result.
            let adopting = Isolation.current
            let home = home.withLock { home in
                if let adopting, !home.isIsolation { home = .isolation(adopting) }
                return home
            }
            return home.isCurrent
        }
    #endif
}

#if DEBUG
    /// What serialises the calls of a graph that has no executor.
    enum Home: Sendable {
        /// An actor, or the serial executor of one.
        case isolation(Isolation)
        /// The task that made the graph.
        case task(UInt64)
        /// The thread that made the graph.
        case thread(UInt)

        /// The home of a graph that is made here.
        ///
        /// An actor's initialiser, and a synchronous function that no actor isolates, pass `nil`.
        init(_ isolation: (any Actor)?) {
            if let isolation {
                self = .isolation(Isolation(isolation))
            } else {
                let task = cconcurrency_current_task()
                self = task == 0 ? .thread(currentThread) : .task(task)
            }
        }

        var isIsolation: Bool {
            if case .isolation = self { true } else { false }
        }

        var isCurrent: Bool {
            switch self {
            case .isolation(let isolation): isolation.isCurrent
            case .task(let task): task == cconcurrency_current_task()
            case .thread(let thread): thread == currentThread
            }
        }
    }

    extension Home: CustomStringConvertible {
        var description: String {
            switch self {
            case .isolation(let isolation): "the isolation of \(isolation.name)"
            case .task: "the task that made it"
            case .thread: "the thread that made it"
            }
        }
    }

    /// An actor, or a serial executor, that is not kept alive.
    struct Isolation: @unchecked Sendable {
        // Unchecked: the object is an actor or an executor, which are Sendable; it is only asked
        // for its type.
        private weak let object: AnyObject?
        private let executor: cconcurrency_executor
        let name: String

        init(_ actor: any Actor) {
            object = actor
            executor = Isolation.words(of: actor)
            name = "\(type(of: actor))"
        }

        private init(object: AnyObject, _ executor: cconcurrency_executor) {
            self.object = object
            self.executor = executor
            name = "\(type(of: object))"
        }

        /// The isolation that the caller runs in; `nil` in tasks without one and outside tasks.
        static var current: Isolation? {
            let executor = cconcurrency_current_executor()
            guard let identity = unsafe UnsafeRawPointer(bitPattern: executor.identity) else { return nil }
            // The main actor's executor need not be an object.
            let main = MainActor.shared
            if executor.identity == words(of: main).identity { return Isolation(main) }
            let object = unsafe Unmanaged<AnyObject>.fromOpaque(identity).takeUnretainedValue()
            return Isolation(object: object, executor)
        }

        /// Whether the caller runs in this isolation, or it is gone.
        var isCurrent: Bool {
            guard let object else { return true }
            return withExtendedLifetime(object) {
                let current = cconcurrency_current_executor()
                if current.identity == executor.identity { return true }
                let answer = cconcurrency_is_current(executor)
                if answer == 1 { return true }
                // Outside tasks only the executor can tell whether its queue or thread runs this.
                // The main actor's on Linux, and those of older systems, have a precondition for
                // that.
                guard current.identity == 0, cconcurrency_current_task() == 0,
                    answer == -1 || object === MainActor.shared, let actor = object as? any Actor
                else { return false }
                actor.preconditionIsolated("the graph belongs to \(name)")
                return true
            }
        }

        private static func words(of actor: any Actor) -> cconcurrency_executor {
            unsafe unsafeBitCast(actor.unownedExecutor, to: cconcurrency_executor.self)
        }
    }
#endif
