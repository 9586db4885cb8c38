internal import CEL
package import Definitions
package import Values

/// What ``PipelineText`` means: its source, its stages and its expressions, or what is wrong with
/// them.
public struct ParsedPipeline {
    /// Nil: it starts from a node.
    package let source: Result<Source, HostError>?
    package let stages: Result<[Stage], HostError>
    /// The expressions of a commit, in their order.
    let formulas: [Result<Program, HostError>]
}
