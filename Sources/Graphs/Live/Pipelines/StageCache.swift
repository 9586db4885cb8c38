internal import Definitions
internal import ReactiveGraph
internal import Support

/// The stages of recently parsed pipelines of clients, by their text.
///
/// A dashboard sends the same few pipelines with every page that is opened. Parsing one takes ten
/// times as long as everything else that its subscription needs.
struct StageCache {
    /// The longest text that is kept.
    ///
    /// A hostile client can fill the cache with half a megabyte of programs, and no more.
    private static let longest = 256
    /// Reaching this clears the cache; those in use are added again with their next subscription.
    private static let capacity = 128

    /// A text and its stages.
    private final class Entry {
        let text: String
        let stages: [Stage]

        init(_ text: BorrowedBytes, _ stages: [Stage]) {
            self.text = String(decoding: text, as: UTF8.self)
            self.stages = stages
        }
    }

    private var entries = Self.noEntries

    private static var noEntries: NameTable {
        NameTable { ($0 as! Entry).text }
    }

    /// The stages of a text that is in the cache.
    func find(_ text: BorrowedBytes) -> [Stage]? {
        guard text.count <= Self.longest else { return nil }
        return entries[text].map { ($0 as! Entry).stages }
    }

    /// Adds stages, unless they have regular expressions, which count for each request.
    mutating func keep(_ read: [Stage], of text: BorrowedBytes) {
        guard text.count <= Self.longest, read.allSatisfy({ $0.patterns.isEmpty }) else { return }
        if entries.count >= Self.capacity { entries = Self.noEntries }
        let entry = Entry(text, read)
        entries.insert(entry, named: entry.text)
    }
}
