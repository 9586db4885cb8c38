internal import Definitions

/// The key of a chain: its last step, and the node before that.
///
/// Keys of one graph are equal exactly if the chains do the same with the same nodes.
struct ChainKey: Hashable {
    /// The number of the node before it, which lives as long as the chain; 0 for a source.
    let previous: UInt64
    /// The canonical text of the source or of the stage.
    let text: String
    /// The principal whose rights choose the nodes of a source by a glob or a computed name; held
    /// by the chain.
    private let principal: ObjectIdentifier?

    /// The key of a source without stages, for a client with that access.
    init(_ source: Source, for access: Access) {
        (previous, text) = (0, source.key)
        principal = source.argument.choosesByRights ? access.principal.map(ObjectIdentifier.init) : nil
    }

    /// The key of a stage that follows the node of that number.
    init(_ stage: Stage, after previous: UInt64) {
        (self.previous, text) = (previous, stage.key)
        principal = nil
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(previous)
        hasher.combine(text)
    }
}

/// A hash of a pipeline's canonical text (FNV-1a), by which clients compare chains.
package struct ChainHash {
    private let state: UInt64
    /// The form that clients see.
    package let text: String

    /// The hash of a text, or of all of a longer one: `state` is that of what comes before.
    init(_ text: String, after state: UInt64 = 0xcbf2_9ce4_8422_2325) {
        self.state = text.utf8.reduce(state) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        self.text = String(String(self.state ^ (self.state >> 32), radix: 16).suffix(8))
    }

    func adding(_ stage: Stage) -> ChainHash { ChainHash("|" + stage.key, after: state) }
}
