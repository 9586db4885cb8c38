/// One rule of a graph's `access` section.
public struct AccessRule: Sendable {
    /// The callers that a rule is about.
    public enum Subject: Hashable, Sendable {
        /// `*`: every caller.
        case everybody
        case role(String)
        /// `device:7`: one principal by name.
        case principal(String)
    }

    /// The callers that the rule is about.
    public let who: Subject
    public let nodes: [String]
    /// What they may do with them.
    public let can: Rights
}
