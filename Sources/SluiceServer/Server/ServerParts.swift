internal import CEL
public import Definitions
internal import EventLoop
internal import Graphs
internal import HTTP
internal import Support

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
    static func make() -> String { RandomBytes.word(letters: 10) }
}

/// The time limits in milliseconds.
struct Milliseconds {
    let fixed: FixedTimes
    let idle: UInt64
    let heartbeat: UInt64
    /// Silence after which a stream of events gets a comment.
    let comment: UInt64

    init(_ configuration: Configuration) {
        fixed = configuration.fixed.times
        idle = UInt64(configuration.idle.milliseconds)
        heartbeat = UInt64(configuration.heartbeat.milliseconds)
        comment = min(15_000, heartbeat)
    }

    /// The shortest of them; a body's rate is looked at every second.
    var shortest: UInt64 {
        let limits = [fixed.handshake, fixed.headers, fixed.body, fixed.frame, fixed.close, fixed.refusal]
        return min(limits.min() ?? idle, idle, heartbeat, 1000)
    }
}

extension SessionLimits {
    init(_ configuration: Configuration) {
        self = configuration.fixed.session
        subscriptions = configuration.subscriptions
        messageBytes = configuration.message
        matches = configuration.matches
        pipelineUnits = configuration.pipelineUnits
        held = configuration.held
        members = configuration.members
        memberBytes = 2 * configuration.held
        // One client must not fill a graph alone. Without tokens all clients are one principal.
        membersPerPrincipal = configuration.auth.isEmpty ? members : (members + 1) / 2
        hardBytes = configuration.unsentHard
        setsPerSecond = UInt64(configuration.setsPerSecond)
        messagesPerSecond = UInt64(configuration.messagesPerSecond)
        heartbeatSeconds = max(1, Int(configuration.heartbeat.milliseconds / 1000))
    }
}

extension HTTP.Limits {
    init(_ configuration: Configuration) {
        self = configuration.fixed.requests
        bodyBytes = configuration.body
        allowsLongBody = { method, path, query in
            DefinitionRoutes.isDryRun(method, path, query)
        }
    }
}

extension DefinitionOptions {
    /// What definitions and pipelines may use by a configuration, and what their expressions take
    /// from `system`.
    public init(_ configuration: Configuration, _ system: ExpressionSystem = ExpressionSystem()) {
        self.init(expressions: system.options(), limits: configuration.fixed.session)
        expressions.cost = configuration.fixed.expression
    }

    /// The same for definitions that are about to be accepted: their sinks may send only where the
    /// configuration lets them, with the secrets that it lets them use; `graph` is the name of one
    /// that comes over HTTP.
    public func accepting(
        _ configuration: Configuration,
        ofClient graph: String? = nil
    ) -> DefinitionOptions {
        var options = self
        options.sinkHosts = configuration.sinkHosts
        options.sinkSecrets = configuration.usableSecrets(ofClientGraph: graph)
        return options
    }
}
