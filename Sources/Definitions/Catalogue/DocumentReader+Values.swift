internal import Support
internal import Values

extension DocumentReader {
    /// The members of a mapping by key; reports other values and duplicate keys.
    package func members(_ document: Document, of what: String) -> [(key: String, entry: Document.Entry)]? {
        guard let entries = document.entries else {
            return refuse(
                "\(what) must be a mapping, not \(document.kindName)",
                at: document.position,
                hint: document.scalar.flatMap { OtherWords.space(in: $0.text) }
            )
        }
        var seen: Set<String> = []
        var members: [(key: String, entry: Document.Entry)] = []
        for entry in entries {
            guard let scalar = entry.key.scalar else {
                add("a key must be a word, not \(entry.key.kindName)", at: entry.key.position)
                continue
            }
            guard seen.insert(scalar.text).inserted else {
                add("the key '\(scalar.text)' is given twice", at: entry.key.position)
                continue
            }
            members.append((scalar.text, entry))
        }
        return members
    }

    /// The values of a mapping with these keys; reports missing and unknown ones.
    func fields(
        _ document: Document,
        of what: String,
        _ known: [Schema.Field]
    ) -> [String: Document] {
        guard let members = members(document, of: what) else { return [:] }
        var fields: [String: Document] = [:]
        for (key, entry) in members {
            guard known.contains(where: { $0.key == key }) else {
                addUnknown("unknown key '\(key)' in \(what)", entry.key, among: known.map(\.key))
                continue
            }
            fields[key] = entry.value
        }
        for field in known where field.isRequired && fields[field.key] == nil {
            add("\(what) needs '\(field.key)'", at: document.position)
        }
        return fields
    }

    /// A text for people: any scalar except null, as it was written.
    package func text(_ document: Document, of what: String) -> String? {
        guard let scalar = document.scalar, scalar.value != .null else {
            return refuse("\(what) must be text, not \(document.kindName)", at: document.position)
        }
        return scalar.text
    }

    package func texts(_ document: Document, of what: String) -> [String] {
        (document.elements ?? [document]).compactMap { text($0, of: what) }
    }

    func word<Word: RawRepresentable & CaseIterable>(_ document: Document, of what: String) -> Word?
    where Word.RawValue == String {
        let words = Word.allCases.map(\.rawValue)
        let demand = "\(what) must be one of \(Word.words)"
        guard let text = document.scalar?.text else {
            let isType = Word.self == Check.Kind.self
            return refuse(
                "\(demand), not \(document.kindName)",
                at: document.position,
                hint: isType ? OtherWords.hint(values: document) : nil
            )
        }
        if let word = Word(rawValue: text) { return word }
        guard let hint = OtherWords.hint(word: text, among: words) else {
            addUnknown(demand, document, among: words)
            return nil
        }
        return refuse(demand, at: document.position, hint: hint)
    }

    /// A whole number within bounds.
    func count(
        _ document: Document,
        of what: String,
        in range: ClosedRange<Int>,
        hint: String? = nil
    ) -> Int? {
        if case .number(let text)? = document.scalar?.value, let number = whole(text), range.contains(number)
        {
            return number
        }
        let bounds =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        return refuse("\(what) must be a whole number \(bounds)", at: document.position, hint: hint)
    }

    private func whole(_ text: String) -> Int? {
        text.withBorrowedBytes { JSONReader(validated: $0).int }
    }

    func number(_ document: Document, of what: String) -> Number? {
        if case .number(let text)? = document.scalar?.value {
            let number = text.withBorrowedBytes { Number(text: $0) }
            if number.double.isFinite { return number }
        }
        return refuse("\(what) must be a number", at: document.position)
    }

    func flag(_ document: Document, of what: String) -> Bool? {
        if case .bool(let flag)? = document.scalar?.value { return flag }
        return refuse("\(what) must be true or false, not \(document.kindName)", at: document.position)
    }

    package func span(_ document: Document, of what: String) -> Stage.Span? {
        if let scalar = document.scalar, let span = Stage.Span(scalar.text) {
            if scalar.text.utf8.allSatisfy(ASCII.isDigit) {
                warn(
                    "\(what) has no unit: \(scalar.text) means milliseconds",
                    at: document.position,
                    hint: "write \(scalar.text)ms, or \(scalar.text)s if seconds are meant"
                )
            }
            return span
        }
        return refuse(
            "\(what) must be a duration",
            at: document.position,
            hint: "write 250ms, 5s, 2m, 1h, 7d, or whole milliseconds; more than zero and at most a year"
        )
    }

    /// Any JSON value.
    func datum(_ document: Document) -> Datum? {
        let before = problems.count
        var bytes: [UInt8] = []
        append(document, to: &bytes, depth: 0)
        guard problems.count == before else { return nil }
        do throws(JSONError) {
            return try Datum.parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            return refuse("\(error.explanation)", code: error.code, at: document.position)
        }
    }

    private func append(_ document: Document, to bytes: inout [UInt8], depth: Int) {
        guard depth <= 64 else {
            add("lists and mappings nest too deeply", at: document.position)
            return
        }
        switch document.content {
        case .scalar(let scalar):
            scalar.append(to: &bytes)
            guard case .notFinite = scalar.value else { return }
            add("JSON has no infinities and no NaN", at: document.position)
        case .sequence(let elements):
            bytes.append(list: elements) { append($0, to: &$1, depth: depth + 1) }
        case .mapping:
            bytes.append(UInt8(ascii: "{"))
            bytes.append(separated: members(document, of: "a value") ?? []) { member, bytes in
                bytes.append(json: member.key)
                bytes.append(UInt8(ascii: ":"))
                append(member.entry.value, to: &bytes, depth: depth + 1)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// All words, for people.
    static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
