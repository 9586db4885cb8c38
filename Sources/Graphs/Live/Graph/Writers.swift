internal import Values

/// The clients that changed the nodes of a graph.
struct Writers {
    /// The writer of the last change whose writer is known.
    private var latest: Writer?

    /// The writer with these properties; nil: they say nothing.
    ///
    /// Consecutive changes by the same principal without a context share one `Writer`.
    mutating func writer(_ by: String?, _ context: Datum?, _ claimer: String?) -> Writer? {
        guard by != nil || context != nil || claimer != nil else { return nil }
        if let latest, latest.by == by, latest.context === context, latest.claimer == claimer {
            return latest
        }
        let writer = Writer(by: by, context: context, claimer: claimer)
        if context == nil { latest = writer }
        return writer
    }
}
