internal import Definitions

/// Frees many parts of a definition, some in each turn: those of a large graph would hold up the
/// clients of all graphs for a tenth of a second.
final class GradualRelease {
    /// How many are freed in one turn: 0.3 ms.
    private static let share = 500

    private var parts: [NodeDefinition]

    private init(_ parts: [NodeDefinition]) {
        self.parts = parts
    }

    static func free(_ parts: [NodeDefinition], in host: Host) {
        if parts.count > share { GradualRelease(parts).goOn(in: host) }
    }

    private func goOn(in host: Host) {
        parts.removeLast(min(Self.share, parts.count))
        if !parts.isEmpty { host.later { [unowned host] in self.goOn(in: host) } }
    }
}
