internal import ReactiveGraph
internal import Support

/// What was recently parsed of clients' pipelines and expressions, by its text.
///
/// A dashboard sends the same few pipelines with every page that is opened. Parsing one takes ten
/// times as long as everything else that its subscription needs.
struct TextCache<Parsed> {
    /// The longest text that is kept.
    ///
    /// A hostile client can fill a cache with half a megabyte of programs, and no more.
    private static var longest: Int { 256 }
    /// Reaching this clears the cache; those in use are added again when they are next needed.
    private static var capacity: Int { 128 }

    /// A text and what it says.
    private final class Entry {
        let text: String
        let parsed: Parsed

        init(_ text: BorrowedBytes, _ parsed: Parsed) {
            self.text = String(decoding: text, as: UTF8.self)
            self.parsed = parsed
        }
    }

    private var entries = Self.noEntries

    private static var noEntries: NameTable {
        NameTable { ($0 as! Entry).text }
    }

    /// What is known of a text.
    func find(_ text: BorrowedBytes) -> Parsed? {
        guard text.count <= Self.longest else { return nil }
        return entries[text].map { ($0 as! Entry).parsed }
    }

    /// Adds what a text says; what has regular expressions, which count for each request, is not
    /// for here.
    mutating func keep(_ parsed: Parsed, of text: BorrowedBytes) {
        guard text.count <= Self.longest else { return }
        if entries.count >= Self.capacity { entries = Self.noEntries }
        let entry = Entry(text, parsed)
        entries.insert(entry, named: entry.text)
    }
}
