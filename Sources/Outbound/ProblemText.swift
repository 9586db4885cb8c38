internal import Support
internal import Values

/// Reads the errors in `application/problem+json`.
public enum ProblemText {
    /// The problem's code and sentence, with the cause of a failed node and the hint, as in
    /// `unknown_node: no such node in house (did you mean 'mode'?)`; nil if the body is not a
    /// problem.
    public static func sentence(in body: [UInt8]) -> String? {
        body.withBorrowedBytes { bytes in
            guard let problem = try? JSONReader(checking: bytes), let code = problem["code"]?.string else {
                return nil
            }
            guard let detail = problem["detail"]?.string else { return code }
            var text = "\(code): \(detail)"
            if let fail = problem["fail"] { text += cause(fail) }
            if let hint = problem["hint"]?.string { text += " (\(hint))" }
            return text
        }
    }

    /// Why and where an operator failed.
    private static func cause(_ fail: JSONReader) -> String {
        let place = (fail["at"]?.string).map { " at \($0)" } ?? ""
        return "; \(fail["code"]?.string ?? "unknown")\(place): \(fail["msg"]?.string ?? "")"
    }
}
