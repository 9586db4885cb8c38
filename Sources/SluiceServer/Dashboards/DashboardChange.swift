/// The outcome of saving or removing a dashboard.
enum DashboardChange: Sendable {
    case saved(tag: String, isNew: Bool)
    case removed
    case missing
    /// The condition does not hold; the present entity tag, if the dashboard exists.
    case conflict(tag: String?)
    /// The same where the client's tags are not ours.
    case foreign(tag: String)
    /// The same for one that must not exist yet, or must have another tag than this.
    case exists(tag: String)
    /// The dashboard that would be replaced or removed belongs to a graph that the caller has no
    /// right to.
    case forbidden(graph: String, removes: Bool)
    case full
    case unwritable(String)
}
