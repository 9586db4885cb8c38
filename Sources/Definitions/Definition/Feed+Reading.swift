internal import CEL
internal import Values

extension Feed {
    /// The forms of `source`, one for each row.
    static var schema: Schema { .part("source", .oneOf(FeedRow.all.map(\.schema))) }

    /// Reads the `source` of a node.
    init?(_ document: Document, from reader: DocumentReader) {
        guard let members = reader.members(document, of: "source") else { return nil }
        let words = FeedRow.all.map(\.word)
        let stated = members.filter { words.contains($0.key) }
        guard stated.count == 1, let row = FeedRow.all.first(where: { $0.word == stated[0].key }) else {
            let problem =
                stated.isEmpty
                ? "source needs one of \(words.enumeration)"
                : "source has \(stated.map(\.key).enumeration): only one of them is allowed"
            reader.add(problem, at: document.position, hint: #"such as { get: "met:/now", every: 10m }"#)
            return nil
        }
        let known = [Schema.Field.required(row.word, .string)] + row.fields + FeedRow.shared
        let fields = reader.fields(document, of: "source", known)
        let place = stated[0].entry.value.position
        guard let text = fields[row.word].flatMap({ reader.text($0, of: row.word) }) else { return nil }
        guard let colon = text.firstIndex(of: ":") else {
            reader.add(
                "\(row.word) must begin with the name of an upstream and a colon",
                at: place,
                hint: "such as \(row.word): met:/now"
            )
            return nil
        }
        let name = String(text[..<colon])
        if !reader.upstreams.contains(name) {
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
