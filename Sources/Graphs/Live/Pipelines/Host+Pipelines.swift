internal import CEL
internal import Definitions
package import Values

extension Host {
    /// Throws if a principal has no room for a pipeline.
    ///
    /// `account` is the principal's; nil if it has no pipelines yet. The reader limits the regular
    /// expressions of one request, so then there is nothing to check.
    ///
    /// - Throws: `pipe_limit`, `pattern_limit`.
    package func admit(
        _ subject: Subject,
        for account: @autoclosure () -> PipelineAccount?
    ) throws(HostError) {
        guard subject.node == nil, let account = account() else { return }
        follower?.makeRoom(in: account)
        guard account.held < limits.held else {
            let message = "the pipelines of one principal hold at most \(limits.held) bytes (limits.held)"
            throw HostError(.pipeLimit, message)
        }
        let patterns = subject.patterns
        guard !patterns.isEmpty else { return }
        let new = Set(patterns.lazy.filter { !account.has($0) }.map { ObjectIdentifier($0) })
        guard account.patternCount + new.count > limits.patterns else { return }
        let message =
            "at most \(limits.patterns) different regular expressions per principal (limits.patterns)"
        throw HostError(.patternLimit, message)
    }
}
