internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import TLS
internal import Values

/// A WebSocket connection (RFC 6455): bytes → messages → session, and back.
final class WebSocketConnection: SessionConnection, MessageTransport {
    /// The contents of the messages.
    enum Kind {
        /// The protocol `sluice.v1.json` (docs/protocol.md).
        case messages
        /// Bare values of one node.
        case node(NamedNode)
        /// Every message comes back, for conformance tests.
        case echo
    }

    /// Compresses messages; nil without compression, and after the last message.
    private var compression: MessageCompression?
    /// When something was last written, for the heartbeat message.
    private var wroteAt: UInt64
    private let kind: Kind
    /// Assembles frames while a message is incomplete.
    private var assembler: PooledAssembler?
    private var pingAt: UInt64
    private var lastRoundTrip = UInt32.max
    private var missedPongs: UInt8 = 0
    private var isPaused = false
    private var isFull = false
    private var isParsing = false
    /// Bytes that arrived while reading was paused in the middle of a read; hardly a connection has
    /// any.
    private var saved: SavedBytes?

    /// The time between the last ping and its pong, in milliseconds; nil before the first.
    var roundTrip: UInt32? { lastRoundTrip == .max ? nil : lastRoundTrip }

    private final class SavedBytes {
        var buffer = ByteBuffer()
    }

    /// Takes over the connection of an accepted upgrade.
    init(upgrading connection: HTTPConnection, to kind: Kind, compression: MessageCompression?) {
        self.kind = kind
        self.compression = compression
        let now = connection.hub.loop.now
        pingAt = now + connection.hub.times.heartbeat
        wroteAt = now
        super.init(replacing: connection)
    }

    override var transport: SpokenTransport {
        switch kind {
        case .messages: .ws
        case .node: .plain
        case .echo: .echo
        }
    }

    /// Opens the session, if there is one; the answer to the upgrade has been written.
    func open(for access: Access?, _ options: StreamOptions = StreamOptions()) {
        watchPeer()
        hub.deadlines.set(self, at: pingAt)
        switch kind {
        case .messages:
            session = Session(of: hub.clients, transport: self, kind: .ws, access: access)
        case .node(let node):
            let session = Session(
                of: hub.clients,
                transport: self,
                kind: .plain,
                access: access,
                form: .node(node)
            )
            self.session = session
            guard options.pipe != nil, hub.host.isCrowded else { return read(options) }
            hub.host.later { [weak self] in self?.read(options) }
        case .echo:
            break
        }
    }

    /// Reads the pipeline of a stream first, which may take long.
    private func read(_ options: StreamOptions) {
        guard let text = options.text, hub.host.parsesElsewhere(text) else { return stream(options) }
        hub.host.pipelines.parseElsewhere?(text) { [weak self] pipeline in
            var options = options
            options.parsed = pipeline
            self?.hub.host.later { self?.stream(options) }
        }
    }

    private func stream(_ options: StreamOptions) {
        guard let session, !session.isClosed else { return }
        do throws(HostError) {
            try session.stream(options)
        } catch {
            close(code: CloseCode.badMessages.rawValue, reason: error.code.rawValue)
        }
    }

    func acted(_ act: SessionAct) { hub.audit?.note(act, by: session?.access?.name, at: address) }

    /// Handles the bytes after the request.
    func begin(with rest: BorrowedBytes) {
        if isLingering { return }
        guard !rest.isEmpty else { return flush() }
        // They are in the parser's or the loop's memory; frames are unmasked in place.
        var copy = ByteBuffer()
        copy.append(rest)
        receive(copy.bytes)
        flush()
    }

    // MARK: - Receiving

    override func receive(_ bytes: BorrowedBytes) {
        guard !isPaused, !isFull else { return save(bytes) }
        // The loop does not need the contents of its read buffer afterwards.
        var input = unsafe UnsafeMutableRawBufferPointer(mutating: bytes.buffer)
        unsafe parse(&input)
        setDeadline()
    }

    private func parse(_ input: inout UnsafeMutableRawBufferPointer) {
        isParsing = true
        let assembler = self.assembler ?? takeAssembler()
        defer {
            isParsing = false
            // A quiet connection holds no assembler. One that failed is not reused.
            if !isLingering, socket != nil, !assembler.messages.isUnfinished {
                if compression != nil { assembler.messages.inflation = .none }
                hub.codec.assemblers.give(assembler)
                self.assembler = nil
            }
        }
        while !isLingering, socket != nil {
            if isPaused || isFull {
                return unsafe save(BorrowedBytes(UnsafeRawBufferPointer(input)))
            }
            switch unsafe assembler.messages.parse(&input) {
            case .more:
                return
            case .text(let message):
                take(message, .text)
            case .binary(let message):
                take(message, .binary)
            case .ping(let payload):
                write { FrameEncoder.append(.pong, payload, to: &$0) }
            case .pong:
                // A pong without a ping is not an answer (RFC 6455 §5.5.3).
                if missedPongs > 0 {
                    lastRoundTrip = UInt32(clamping: hub.loop.now - (pingAt - hub.times.heartbeat))
                }
                missedPongs = 0
            case .close(let code, _):
                finish(.closed, saying: code == .noneGiven ? .noneGiven : code)
            case .failed(let failure):
                finish(.protocolError, saying: failure.code, failure.reason)
            }
            checkBackPressure()
        }
    }

    private func save(_ bytes: BorrowedBytes) {
        guard !bytes.isEmpty else { return }
        let saved = saved ?? SavedBytes()
        self.saved = saved
        saved.buffer.append(bytes)
        noteUnfinished(heldBytes)
    }

    /// What it holds of messages that are not complete, or not read yet.
    private var heldBytes: Int { (assembler?.messages.heldBytes ?? 0) &+ (saved?.buffer.count ?? 0) }

    private func takeAssembler() -> PooledAssembler {
        let assembler = hub.codec.assemblers.take()
        if let compression { assembler.messages.inflation = compression.inflation }
        self.assembler = assembler
        return assembler
    }

    private func take(_ message: BorrowedBytes, _ opcode: Opcode) {
        // A complete message: a peer that sends without pause is not slow.
        assembler?.startedAt = 0
        if case .echo = kind {
            return append(opcode, message)
        }
        guard opcode == .text else {
            return finish(.protocolError, saying: .unsupportedData, "text messages only")
        }
        session?.receive(message: message)
    }

    /// Stops reading from a peer that does not take its messages.
    private func checkBackPressure() {
        // After the last message only the peer's end is awaited, which reading reports.
        guard !isLingering else { return }
        let unsent = unsentBytes
        if unsent > hub.host.limits.hardBytes, session != nil || isEcho {
            close(code: CloseCode.slow.rawValue, reason: "slow")
        } else if unsent > hub.host.limits.softBytes, !isFull {
            flush()
            guard isBehind else { return }
            isFull = true
            socket?.pauseReading()
        }
    }

    private var isEcho: Bool {
        if case .echo = kind { true } else { false }
    }

    private func resumeIfPossible() {
        guard !isPaused, !isFull, !isParsing, !isLingering, let socket else { return }
        if let held = saved.take() {
            withExtendedLifetime(held) {
                var input = unsafe held.buffer.mutableBytes
                unsafe parse(&input)
            }
            noteUnfinished(heldBytes)
            guard !isPaused, !isFull, !isLingering, self.socket != nil else { return }
        }
        socket.resumeReading()
        setDeadline()
    }

    override func drained() {
        // A peer that takes bytes is alive.
        missedPongs = 0
        isFull = false
        super.drained()
        resumeIfPossible()
    }

    // MARK: - MessageTransport

    /// A message that others get, too, has one frame for all of them, and is written without a
    /// buffer: this reduced a delivery from 1,335 instructions to 550.
    func send(_ message: Outgoing) {
        let hub = hub
        if message.number != 0, compression == nil, writeAtOnce(hub.codec.sharedFrame.bytes(of: message)) {
            wroteAt = hub.loop.now
            if isBehind { checkHardLimit() }
            return
        }
        if message.kind == .noValue { return }
        message.withBytes { append(.text, $0) }
        wroteAt = hub.loop.now
        if unsentBytes > hub.host.limits.hardBytes { checkHardLimit() }
    }

    @inline(__always)
    private func append(_ opcode: Opcode, _ message: BorrowedBytes) {
        if let compression {
            write { compression.append(opcode, message, to: &$0) }
        } else {
            write { FrameEncoder.append(opcode, message, to: &$0) }
        }
    }

    func access(token: String) throws(HostError) -> Access? {
        guard let outcome = outcome(token) else { return nil }
        return try access(outcome)
    }

    func checksFirst(
        token: String,
        _ done: @escaping (Result<Access?, HostError>) -> Void
    ) -> Bool {
        guard case .unchecked(let check)? = outcome(token) else { return false }
        check.begin { [weak self] outcome in
            guard let self, socket != nil else { return }
            done(Result { () throws(HostError) in try self.access(outcome) })
        }
        return true
    }

    private func access(_ outcome: TokenOutcome) throws(HostError) -> Access {
        Access(try hub.credentials.principal(outcome, from: address, at: hub.loop.now))
    }

    /// What a token is; nil: the server needs none.
    private func outcome(_ token: String) -> TokenOutcome? {
        let now = UInt64(max(0, hub.loop.wallClock))
        return token.withBorrowedBytes { hub.credentials.authenticator?.principal(token: $0, at: now) }
    }

    func pauseReading(_ paused: Bool) {
        isPaused = paused
        guard !isLingering else { return }
        if paused {
            socket?.pauseReading()
        } else {
            resumeIfPossible()
        }
    }

    // MARK: - Ending

    override func sayGoodbye(_ code: CloseCode, _ text: String) {
        write { FrameEncoder.appendClose(code, reason: text, to: &$0) }
        compression = nil
    }

    override func forgetRequests() {
        assembler = nil
        saved = nil
    }

    override func ended(_ error: UVError?) {
        super.ended(error)
        compression = nil
        saved = nil
    }

    // MARK: - Time

    private func setDeadline() {
        guard !isLingering, socket != nil else { return }
        noteUnfinished(heldBytes)
        setDeadline(of: hub)
    }

    @inline(__always)
    private func setDeadline(of hub: Hub) {
        let now = hub.loop.now
        var deadline = pingAt
        if let assembler, assembler.messages.isUnfinished, saved == nil {
            if assembler.startedAt == 0 { assembler.startedAt = now }
            deadline = min(deadline, assembler.startedAt + hub.times.fixed.frame)
        } else {
            assembler?.startedAt = 0
        }
        hub.deadlines.set(self, at: deadline)
    }

    override func expire(now: UInt64) {
        if isLingering { return endLingering() }
        if let start = assembler?.startedAt, start > 0, now >= start + hub.times.fixed.frame {
            return finish(.timeout, saying: .heartbeatTimeout, "unfinished message")
        }
        if now >= pingAt {
            guard missedPongs < 2 else {
                return finish(.timeout, saying: .heartbeatTimeout, "no pong")
            }
            missedPongs += 1
            pingAt = now + hub.times.heartbeat
            write { FrameEncoder.append(.ping, BorrowedBytes(), to: &$0) }
            if case .messages = kind, now >= wroteAt + hub.times.heartbeat { session?.heartbeat() }
            flush()
        }
        setDeadline()
    }
}
