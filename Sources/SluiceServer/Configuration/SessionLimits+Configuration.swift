internal import Definitions

extension SessionLimits {
    init(_ configuration: Configuration) {
        self = configuration.fixed.session
        subscriptions = configuration.subscriptions
        messageBytes = configuration.message
        matches = configuration.matches
        pipelineUnits = configuration.pipelineUnits
        held = configuration.held
        members = configuration.members
        wanted = configuration.wanted
        memberBytes = 2 * configuration.held
        // One client must not fill a graph alone. Without tokens all clients are one principal.
        membersPerPrincipal = configuration.needsTokens ? (members + 1) / 2 : members
        hardBytes = configuration.unsentHard
        setsPerSecond = UInt64(configuration.setsPerSecond)
        messagesPerSecond = UInt64(configuration.messagesPerSecond)
        heartbeatSeconds = max(1, Int(configuration.heartbeat.milliseconds / 1000))
    }
}
