public import Observation

/// The present value of a node, for views.
///
/// A view that reads ``value`` is drawn again when it changes. The subscription belongs to this
/// object and ends with it.
///
/// ```swift
/// @State private var indoors = client.node("house/indoor_c", as: Double.self).live()
/// ```
@MainActor @Observable
public final class LiveValue<Value: Sendable> {
    /// The value; `nil` until there is one, and while the node is empty or failed.
    public private(set) var value: Value?
    /// Why there is no value: the node's operator failed, the value has another type, or the server
    /// has refused or ended the subscription.
    public private(set) var failure: SluiceError?
    /// What the server says about the value; `nil` until the first delivery.
    public private(set) var meta: Meta?

    @ObservationIgnored private let client: SluiceClient
    @ObservationIgnored private let subscriber: Subscriber

    /// Begins to listen.
    public init(_ source: some Subscribable<Value>, _ options: ListenOptions = .latest) {
        let source = source.source
        let subscriber = source.subscribe(options)
        client = source.client
        self.subscriber = subscriber
        let makeReader = source.makeReader
        // The buffer ends with the subscriber, and this task with the buffer.
        Task { [weak self, buffer = subscriber.buffer] in
            let read = makeReader()
            while let emission = await buffer.next() { self?.show(read(emission)) }
        }
    }

    /// Whether the value may be out of date: there was no delivery yet, the connection is lost, or
    /// the subscription has ended.
    public var isStale: Bool {
        meta == nil || meta?.ended != nil || client.status.state.phase != .live
    }

    private func show(_ delivery: ValueDelivery<Value>) {
        value = delivery.value
        meta = delivery.meta
        failure =
            delivery.meta.ended ?? delivery.meta.failure.map { SluiceError($0.code, $0.message) }
    }

    /// Shows a value that the server has accepted with that commit, until its delivery comes.
    func adopt(_ value: Value?, at cursor: Cursor?) {
        guard let cursor, let meta, meta.epoch == cursor.epoch, let rev = meta.rev, rev < cursor.rev else {
            return
        }
        self.value = value
    }
}

/// The connection's state, for views.
@MainActor @Observable
public final class ConnectionStatus {
    /// The state.
    public private(set) var state = ConnectionState()

    init(of client: SluiceClient) {
        let events = client.events()
        Task { [weak self] in
            for await case .state(let state) in events { self?.state = state }
        }
    }
}
