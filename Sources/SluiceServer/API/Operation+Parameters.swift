internal import CEL
internal import HTTP
internal import Values

extension Operation {
    /// Checks the names in the query of a request that may change something: one that is spelled
    /// wrong would be ignored, and `wipe?mach=a*` would clear everything.
    ///
    /// - Throws: `bad_field` for a parameter that it does not have, or has only once.
    func checkParameters(_ query: Query) throws(HostError) {
        guard method != .get, !parameters.isEmpty else { return }
        var (seen, problem): (Set<String>, HostError?) = ([], nil)
        query.forEach { name, _ in
            // As sent: names with escapes are not found by what reads them either.
            let name = String(decoding: name, as: UTF8.self)
            let known = parameters.first { $0.name == name }
            if known == nil {
                problem = unknown(name)
            } else if !seen.insert(name).inserted, known?.repeats == false {
                problem = HostError(.badField, "\(name): only one is allowed")
            }
            return problem == nil
        }
        if let problem { throw problem }
    }

    private func unknown(_ name: String) -> HostError {
        let names = parameters.map(\.name)
        var error = HostError(.badField, "unknown parameter '\(name.prefix(64))'")
        error.hint = Spelling.hint(for: name, among: names) ?? "known here: \(names.joined(separator: ", "))"
        return error
    }
}
