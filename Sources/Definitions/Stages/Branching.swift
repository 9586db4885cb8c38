package import Values

/// How a node depends on its input, if values decide that.
package enum Branching {
    /// It follows a node that a value chooses.
    case chosen
    /// It takes those values of a switch for which `takes` is true.
    case sorted(takes: (Datum) -> Bool)
}
