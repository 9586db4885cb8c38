/// The graphs of which the servers that share a Redis have files.
struct FiledGraphs {
    /// Those of this server; nil: it has not read its files yet.
    var own: Set<String>?
    /// Those of the other living servers; nil: not all of them have said so.
    private(set) var elsewhere: Set<String>?

    /// Takes what the others have said.
    ///
    /// A server that has just started, and one of an earlier version, has not said so: it may have
    /// any.
    mutating func note(_ pulse: Pulse, at instance: String, lost: [String] = []) {
        var found: Set<String> = []
        elsewhere = nil
        for other in pulse.signs.keys where other != instance && !lost.contains(other) {
            guard let files = pulse.files[other] else { return }
            found.formUnion(files)
        }
        elsewhere = found
    }
}
