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
