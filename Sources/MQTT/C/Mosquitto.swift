internal import CMosquitto
internal import Support

/// A client of libmosquitto, which speaks the protocol on a socket of its own.
///
/// Transcribes https://mosquitto.org/api/files/mosquitto-h.html. It has no thread and never waits:
/// its owner watches ``descriptor`` and calls ``read()`` and ``write()``. What it reports is
/// collected in ``takeEvents()``, because nothing of it may be called from within its callbacks.
@safe final class Mosquitto {
    /// What has happened.
    enum Event {
        /// The broker has answered; 0: the client is connected.
        case answered(code: Int)
        case message(topic: String, payload: [UInt8])
        /// The broker has what was published.
        case published(id: Int32)
        /// A topic is subscribed, or the broker does not permit it.
        case subscribed(id: Int32, isGranted: Bool)
    }

    /// Why a call has failed.
    struct Failure: Error, Equatable {
        /// What libmosquitto returned; nil: it was not asked.
        let code: Int32?
        let message: String

        /// Something else than libmosquitto has failed.
        init(_ message: String) { (code, self.message) = (nil, message) }

        fileprivate init(code: Int32) {
            self.code = code
            message = unsafe String(cString: mosquitto_strerror(code))
        }

        /// The connection is gone, or was not there.
        var isLoss: Bool {
            let losses = [MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN, MOSQ_ERR_ERRNO]
            return losses.contains { $0.rawValue == code }
        }

        /// The broker did not say in time that it is there.
        var isSilence: Bool { code == MOSQ_ERR_KEEPALIVE.rawValue }
    }

    private let raw: OpaquePointer
    private var events: [Event] = []

    /// The library is made ready once.
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    /// A client that is not connected; its name at the broker has at most 23 letters and digits.
    init(_ name: String, as account: MQTTAccount) throws(Failure) {
        guard Self.isReady, let raw = unsafe mosquitto_new(name, true, nil) else {
            throw Failure(code: MOSQ_ERR_NOMEM.rawValue)
        }
        unsafe self.raw = unsafe raw
        unsafe mosquitto_user_data_set(raw, Unmanaged.passUnretained(self).toOpaque())
        unsafe mosquitto_int_option(raw, MOSQ_OPT_TCP_NODELAY, 1)
        unsafe mosquitto_connect_callback_set(raw) { _, owner, code in
            unsafe owner.client.events.append(.answered(code: Int(code)))
        }
        unsafe mosquitto_message_callback_set(raw) { _, owner, message in
            guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
            let bytes = unsafe UnsafeRawBufferPointer(
                start: message.payload,
                count: Int(message.payloadlen)
            )
            let event = unsafe Event.message(topic: String(cString: topic), payload: Array(bytes))
            unsafe owner.client.events.append(event)
        }
        unsafe mosquitto_publish_callback_set(raw) { _, owner, id in
            unsafe owner.client.events.append(.published(id: id))
        }
        unsafe mosquitto_subscribe_callback_set(raw) { _, owner, id, count, granted in
            // 0x80 is a failure (section 3.9.3).
            let isGranted = unsafe count == 1 && granted.map { unsafe $0[0] < 0x80 } == true
            unsafe owner.client.events.append(.subscribed(id: id, isGranted: isGranted))
        }
        guard account.user != nil else { return }
        try check(unsafe mosquitto_username_pw_set(raw, account.user, account.password))
    }

    deinit {
        unsafe mosquitto_destroy(raw)
    }

    /// What has happened since it was last asked.
    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Connects to a port of this machine, without waiting.
    func connect(toPort port: UInt16, keepAlive seconds: Int) throws(Failure) {
        try check(unsafe mosquitto_connect_async(raw, "127.0.0.1", Int32(port), Int32(seconds)))
    }

    /// Its socket; nil if it has none.
    var descriptor: Int32? {
        let descriptor = unsafe mosquitto_socket(raw)
        return descriptor < 0 ? nil : descriptor
    }

    /// Whether something is to be written that the socket has not taken.
    var wantsToWrite: Bool { unsafe mosquitto_want_write(raw) }

    /// Reads what has come, one packet or a few.
    func read() throws(Failure) { try check(unsafe mosquitto_loop_read(raw, 1)) }

    /// Writes what is to be written.
    func write() throws(Failure) { try check(unsafe mosquitto_loop_write(raw, 1)) }

    /// To be called about once a second while it is connected: asks the broker now and then whether
    /// it is there.
    func look() throws(Failure) { try check(unsafe mosquitto_loop_misc(raw)) }

    /// Says goodbye, and closes its socket as soon as that is written.
    func disconnect() { unsafe mosquitto_disconnect(raw) }

    /// Subscribes a topic with quality 1.
    ///
    /// - Returns: the id of the request.
    func subscribe(_ topic: String) throws(Failure) -> Int32 {
        var id: Int32 = 0
        try check(unsafe mosquitto_subscribe(raw, &id, topic, 1))
        return id
    }

    /// Ends the subscription of a topic.
    func unsubscribe(_ topic: String) throws(Failure) {
        try check(unsafe mosquitto_unsubscribe(raw, nil, topic))
    }

    /// Publishes with quality 0 or 1.
    ///
    /// - Returns: the id that ``Event/published(id:)`` has as soon as the broker has it, with
    ///   quality 0 as soon as it is sent.
    /// - Throws: ``Failure`` if it cannot be sent.
    func publish(
        _ payload: [UInt8],
        to topic: String,
        quality: Int,
        isRetained: Bool
    ) throws(Failure) -> Int32 {
        var id: Int32 = 0
        try check(
            unsafe mosquitto_publish(
                raw,
                &id,
                topic,
                Int32(clamping: payload.count),
                payload,
                Int32(quality),
                isRetained
            )
        )
        return id
    }

    private func check(_ code: Int32) throws(Failure) {
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw Failure(code: code) }
    }
}

extension UnsafeMutableRawPointer? {
    /// The client whose callback it is; the caller of libmosquitto holds it.
    fileprivate var client: Mosquitto { unsafe Unmanaged.fromOpaque(self!).takeUnretainedValue() }
}
