/// How long a client waits before it tries to connect again.
struct Backoff {
    /// The longest pauses before the first tries, and before all others.
    private static let pauses: [Duration] = [
        .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5),
    ]
    private static let longestPause = Duration.seconds(10)
    /// A connection that lasted so long has worked: the pauses begin anew.
    private static let stable = Duration.seconds(5)

    /// Failed tries in a row.
    private(set) var tries = 0

    /// A connection has ended that lasted so long.
    mutating func ended(after time: Duration) {
        if time > Self.stable { tries = 0 }
    }

    /// The pause before the next try: what the server asks for, or a random one, so that not all
    /// clients come back at once.
    mutating func next(_ reason: String, random: Double) -> Duration {
        let longest = Self.pauses.dropFirst(tries).first ?? Self.longestPause
        tries += 1
        return asked(reason) ?? longest * random
    }

    /// The pause that a server asks for when it stops: `{"after":ms}`.
    private func asked(_ reason: String) -> Duration? {
        guard reason.hasPrefix("{"), let json = try? JSONText.decode(reason) else { return nil }
        return json["after"]?.int.map { .milliseconds($0) }
    }
}
