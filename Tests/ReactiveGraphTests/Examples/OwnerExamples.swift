import ReactiveGraph
import Testing

extension Examples {
    @Test("Events (G-115, G-119, G-122)")
    func events() throws {
        let graph = Graph()
        let view = CancellableBag()
        let name = graph.mutable(of: String.self)
        name.addListener(owner: view) { event in print(event) }  // prints added(empty)
        name.set("Ada")  // prints newValue(Ada, source: local)
        name.clear()  // prints empty(source: local)
        name.removeListeners(ownedBy: view)  // prints stopped
        try check()
    }

    @Test("Listeners that are objects, and owners (G-115, G-116)")
    func nodeListener() throws {
        final class Panel: NodeListener {
            var errors = 0

            func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
                if case .error = event { errors += 1 }
            }
        }
        struct Spinner: NodeListener {
            let show: (Bool) -> Void

            func node<Value>(_ node: Node<Value>, event: NodeEvent<Value>) {
                show(node.isLoading)
            }
        }

        let graph = Graph()
        let profile = graph.mutable(of: String.self)
        let panel = Panel()
        profile
            .addListener(panel)  // owns itself: it listens until it is destroyed
            .addListener(Spinner { print("loading", $0) }, owner: panel)  // prints loading false
        let load = profile.beginLoad()  // prints loading true
        load.finish("Ada")  // prints loading true, then loading false
        try check()
    }

    @Test("Value, error and loading of a remote thing (G-135)")
    func loading() throws {
        struct Offline: Error {}

        let graph = Graph()
        let bag = CancellableBag()
        let profile = graph.mutable(of: String.self)
        profile.addListener(owner: bag) { print($0) }  // prints added(empty)
        profile.set("Ada", source: .cache)  // prints newValue(Ada, source: cache)
        let load = profile.beginLoad()  // prints requested
        load.fail(Offline())  // prints progress(1.0), then error(Offline())
        print(profile, profile.latestError ?? "no error")  // prints undefined: Ada Offline()
        try check()
    }

    @Test("Loading what is out of date (G-160)")
    func freshness() throws {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let bag = CancellableBag()
        let profile = graph.mutable(of: String.self)
        profile.addListener(owner: bag) { print($0) }  // prints added(empty)

        var requests: [Load<String>] = []
        profile.loadIfNeeded(within: .seconds(30)) { requests.append($0) }  // prints requested
        requests[0].report(progress: 0.5)  // prints progress(0.5)
        requests[0].finish("Ada")  // prints progress(1.0), then newValue(Ada, source: network)
        profile.loadIfNeeded(within: .seconds(30)) { requests.append($0) }
        print(requests.count)  // prints 1

        profile.invalidate()
        profile.loadIfNeeded(within: .seconds(30)) { requests.append($0) }  // prints requested
        requests[1].onCancel = { print("abort the request") }
        // prints abort the request, then progress(1.0), then cancelled, then empty(source: wipe)
        profile.wipe()
        requests[1].finish("Grace")  // too late
        print(profile)  // prints undefined: empty
        try check()
    }
}
