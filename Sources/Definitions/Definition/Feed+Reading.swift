internal import CEL
internal import Values

extension Feed {
    /// The forms of `source`, one for each row.
    static var schema: Schema { .part("source", .oneOf(FeedRow.all.map(\.schema))) }

    /// Reads the `source` of a node.
    init?(_ document: Document, from reader: DocumentReader) {
        let hint = #"such as { get: "met:/now", every: 10m }"#
        guard let (row, fields) = reader.row(document, of: "source", among: FeedRow.all, hint: hint),
            let entry = fields[row.word], let text = reader.text(entry, of: row.word)
        else { return nil }
        let place = entry.position
        guard let colon = text.firstIndex(of: ":") else {
            reader.add(
                "\(row.word) must begin with the name of an upstream and a colon",
                at: place,
                hint: "such as \(row.word): met:/now"
            )
            return nil
        }
        let name = String(text[..<colon])
        if let word = reader.upstreams[name] {
            if word != row.upstream.word {
                reader.add(
                    "'\(row.word)' needs an upstream with '\(row.upstream.word)', and '\(name)' has '\(word)'",
                    at: place
                )
            }
        } else {
            reader.addUnknown(upstream: name, at: place)
        }
        let reading = FeedReading(reader, row, rest: text[text.index(after: colon)...], at: place, fields)
        guard let kind = row.read(reading) else { return nil }
        self.init(
            upstream: name,
            kind: kind,
            pick: reading.pick,
            canonical: document.json(isCanonical: true),
            position: place
        )
    }
}
