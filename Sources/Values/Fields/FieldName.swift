internal import Support

/// The names of the fields that messages have, besides the words of sources.
package enum FieldName: UInt8, CaseIterable {
    // What every message may have.
    case op, id, graph, node, nodes
    // Subscribing.
    case pipe, map, reduce, mode, every, queue, initial, facets, load, history, keep, since, sub, via
    // Where a value has been: asked for, and said.
    case path
    case owner, addOwner, removeOwner
    // Changing a graph.
    case set, update, with, clear, `if`, ctx, key, hand, presence
    // What a producer reports.
    case loading, progress, error, notModified, cancelled, invalidate
    // Observing, and who the client is.
    case members, around, depth, token, client
    // Listing graphs.
    case changes
    // Reading.
    case after

    /// As it stands in messages.
    package var text: String { Self.texts[Int(rawValue)] }

    private static let texts = allCases.map { String(describing: $0) }

    /// Its bit in a set of names.
    @inline(__always)
    var bit: UInt64 { 1 << UInt64(rawValue) }

    static let table = WordTable<FieldName>()
}

/// Words of which a message has some as fields: names, and words of sources.
package struct FieldWords: Sendable {
    struct Word: Sendable {
        let text: String
        /// Nil for the word of a source.
        let name: FieldName?
    }

    let words: [Word]
    /// The bits of the names among them.
    let names: UInt64

    package init(_ texts: [String]) {
        words = texts.map { text in
            Word(text: text, name: text.withBorrowedBytes { FieldName.table[$0] })
        }
        names = words.reduce(0) { $0 | ($1.name?.bit ?? 0) }
    }

    package var texts: [String] { words.map(\.text) }
}
