internal import GraphHost

/// Reads what a server says in `application/problem+json`.
public enum ProblemText {
    /// The problem's code and its sentence, as in `unknown_node: there is no node "x"`; nil where the body is no problem.
    public static func sentence(in body: [UInt8]) -> String? {
        body.withUnsafeBytes { bytes in
            guard let problem = try? JSONReader(checking: bytes), let code = problem["code"]?.string else {
                return nil
            }
            guard let detail = problem["detail"]?.string else { return code }
            return "\(code): \(detail)"
        }
    }
}
