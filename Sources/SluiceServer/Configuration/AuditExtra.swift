/// What the audit has besides (`auditAlso`).
enum AuditExtra: String, CaseIterable, Sendable {
    /// Changes of values.
    case sets
    /// Every request over HTTP.
    case requests
}
