package import Definitions
package import Values

/// What ``PipelineText`` means: its source and its stages, or what is wrong with them.
public struct ParsedPipeline {
    /// Nil: it starts from a node.
    package let source: Result<Source, HostError>?
    package let stages: Result<[Stage], HostError>
}
