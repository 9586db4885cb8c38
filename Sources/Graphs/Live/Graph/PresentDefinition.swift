internal import Commits
internal import Definitions

/// What a graph is made from.
struct PresentDefinition {
    var definition: GraphDefinition
    var origin: DefinitionOrigin
    /// A new object with each definition.
    fileprivate(set) var mark = DefinitionMark()

    init(_ definition: GraphDefinition, _ origin: DefinitionOrigin) {
        (self.definition, self.origin) = (definition, origin)
    }

    /// The graph has become what the new definition says: drops what was cached for the former one.
    mutating func renew() { mark = DefinitionMark() }
}

/// Identifies one definition of one running graph.
///
/// Only its object identity counts.
final class DefinitionMark {}
