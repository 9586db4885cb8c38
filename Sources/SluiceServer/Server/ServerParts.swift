internal import CEL
internal import EventLoop
public import GraphHost

/// The loop's time, as the host reads it.
final class LoopHostClock: HostClock {
    private let loop: Loop

    init(_ loop: Loop) {
        self.loop = loop
    }

    var now: UInt64 { loop.now }
    var wall: UInt64 { UInt64(max(0, loop.wallClock)) }
}

/// The names of histories.
enum Epoch {
    /// A name that no other start of any server has used: ten characters, 50 random bits.
    static func make() -> String { RandomWord.make(letters: 10) }
}

/// Words that do not come twice.
enum RandomWord {
    /// A word of so many letters and digits, five random bits each, without those that look alike.
    static func make(letters count: Int) -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        return String(decoding: RandomBytes.make(count).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }
}

/// The time limits as numbers.
struct Milliseconds {
    let handshake: UInt64
    let headers: UInt64
    let body: UInt64
    let idle: UInt64
    let frame: UInt64
    let close: UInt64
    let wait: UInt64
    let heartbeat: UInt64
    /// For a connection there is no room for to say what it speaks.
    let refusal: UInt64
    /// Out of reach for so long, the store makes the server not ready.
    let outage: UInt64
    /// Silence after which a stream of events gets a comment.
    let comment: UInt64

    init(_ configuration: Configuration) {
        let times = configuration.times
        handshake = UInt64(times.handshake.milliseconds)
        headers = UInt64(times.headers.milliseconds)
        body = UInt64(times.body.milliseconds)
        idle = UInt64(times.idle.milliseconds)
        frame = UInt64(times.frame.milliseconds)
        close = UInt64(times.close.milliseconds)
        wait = UInt64(times.wait.milliseconds)
        heartbeat = UInt64(configuration.heartbeat.milliseconds)
        refusal = UInt64(times.refusal.milliseconds)
        outage = UInt64(times.outage.milliseconds)
        comment = min(15_000, heartbeat)
    }

    /// The shortest of them; a body's rate is looked at every second.
    var shortest: UInt64 { min(handshake, headers, body, idle, frame, close, heartbeat, refusal, 1000) }
}

extension SessionLimits {
    init(_ configuration: Configuration) {
        self.init()
        let limits = configuration.limits
        subscriptions = limits.subs
        messageBytes = limits.message
        stages = limits.stages
        idempotencyKeys = limits.idempotencyKeys
        patterns = limits.patterns
        pipelineUnits = limits.pipelines
        held = limits.held
        keptChains = limits.keptChains
        loadMilliseconds = UInt64(configuration.times.load.milliseconds)
        keepMilliseconds = Int(configuration.times.keep.milliseconds)
        historyBytes = limits.historyBytes
        work = UInt64(limits.work)
        kept = limits.kept
        members = limits.members
        membersPerPrincipal = limits.membersPerPrincipal
        zipBuffer = limits.zipBuffer
        delayed = limits.delayed
        windowValues = limits.windowValues
        graphs = limits.graphs
        matches = limits.matches
        breaches = limits.breaches
        breachMilliseconds = UInt64(configuration.times.breaches.milliseconds)
        softBytes = limits.unsent
        hardBytes = limits.unsentHard
        pendingRequests = limits.pending
        pendingBytes = limits.pendingBytes
        setsPerSecond = UInt64(limits.sets)
        messagesPerSecond = UInt64(limits.messages)
        heartbeatSeconds = max(1, Int(configuration.heartbeat.milliseconds / 1000))
        helloMilliseconds = UInt64(configuration.times.hello.milliseconds)
    }
}

extension DefinitionOptions {
    /// What definitions and pipelines may use by a configuration, and what their expressions take from `system`.
    public init(_ configuration: Configuration, _ system: ExpressionSystem = ExpressionSystem()) {
        self.init(expressions: system.options())
        zipBuffer = configuration.limits.zipBuffer
        switchKeys = configuration.limits.switchKeys
        windowValues = configuration.limits.windowValues
        expressions.cost = configuration.limits.expression
        mostNodes = configuration.limits.nodes
    }

    /// The same for definitions that are about to be accepted: their sinks may send only where the configuration lets them.
    public func accepting(_ configuration: Configuration) -> DefinitionOptions {
        var options = self
        options.sinkHosts = configuration.sinkHosts
        options.sinkSecrets = Set(configuration.secrets.keys)
        return options
    }
}
