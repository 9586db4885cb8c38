/// The key of a chain: its last stage, and the chain before it.
///
/// Keys are equal exactly if the canonical texts of the pipelines are.
struct ChainKey: Hashable {
    /// The chain before it, which lives as long as this one; nil for the first stage.
    private var previous: ObjectIdentifier?
    /// The text of the source or of the stage; for the first stage after a node, both.
    private(set) var text: String
    /// The principal whose rights choose the nodes, if a glob is used; held by the chain.
    private let principal: ObjectIdentifier?
    /// A hash of the texts before this one (FNV-1a).
    private var hashBefore: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The key of a source without stages.
    init(_ source: Source) {
        text = source.key
        principal = source.access?.principal.map(ObjectIdentifier.init)
    }

    /// Extends the key by the next stage; `record` is the chain so far, nil for a node without
    /// stages.
    mutating func append(_ stage: Stage, behind record: Chains.Record?) {
        guard let record else { return text += "|" + stage.key }
        previous = ObjectIdentifier(record)
        text += "|"
        hashBefore = hash
        text = stage.key
    }

    /// A hash of all the texts, by which clients compare chains.
    private var hash: UInt64 {
        text.utf8.reduce(hashBefore) { hash, byte in (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The form that clients see.
    var hashText: String {
        let hash = hash
        let text = String(hash ^ (hash >> 32), radix: 16)
        return String(text.suffix(8))
    }

    /// The same for a pipeline, whether or not it exists.
    static func hashText(_ source: Source, _ pipe: [Stage]) -> String {
        var key = ChainKey(source)
        for stage in pipe { key.append(stage, behind: nil) }
        return key.hashText
    }

    /// The texts of the keys of a pipeline, the first one first.
    static func texts(_ source: Source, _ pipe: [Stage]) -> [String] {
        let stages = pipe.map(\.key)
        guard source.isNode, let first = stages.first else { return [source.key] + stages }
        return [source.key + "|" + first] + stages.dropFirst()
    }

    static func == (one: ChainKey, other: ChainKey) -> Bool {
        one.previous == other.previous && one.text == other.text && one.principal == other.principal
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(previous)
        hasher.combine(text)
    }
}
