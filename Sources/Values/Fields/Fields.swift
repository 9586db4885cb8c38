package import Support

/// The fields of one client message or request body: found while its text is checked, read by name.
///
/// The bytes are lent, and so is what this points to: fields live no longer than the call that
/// lends them.
@safe package struct Fields: JSONMemberSink {
    package enum Operation: CaseIterable {
        case hello, auth, sub, link, sync, unsub, mod, release, observe, demand, set, drop, load, get, list,
            ping, unknown

        static let table = WordTable<Operation>()
        package static let names = allCases.filter { $0 != .unknown }.map { String(describing: $0) }

        /// Whether it makes a commit: such requests count as sets.
        package var isChange: Bool { self == .set || self == .drop || self == .load }

        /// Whether it may build nodes or look at many.
        package var isDear: Bool {
            switch self {
            case .sub, .link, .sync, .release, .observe, .demand, .get, .list: true
            case .hello, .auth, .unsub, .mod, .set, .drop, .load, .ping, .unknown: false
            }
        }
    }

    /// What the client wants (`op`).
    package private(set) var operation = Operation.unknown
    /// A bit for each name that the message has as a field; its value is in `values`, at the number
    /// of the name.
    private var names: UInt64 = 0
    private let values: UnsafeMutablePointer<JSONReader>
    private var object: JSONReader
    /// Whether there are fields besides: those are looked for in the text.
    private var hasOthers = false

    /// Checks a JSON text, and lends the fields of its value; nil stands for a value that is not an
    /// object.
    ///
    /// - Throws: `bad_json`, `type_mismatch`.
    @inline(__always)
    package static func read<Result>(
        _ text: BorrowedBytes,
        _ body: (JSONReader, Fields?) throws(HostError) -> Result
    ) throws(HostError) -> Result {
        try unsafe withUnsafeTemporaryAllocation(of: JSONReader.self, capacity: FieldName.allCases.count) {
            values throws(HostError) in
            var fields = unsafe Fields(values: values.baseAddress!, object: JSONReader(validated: text))
            do throws(JSONError) {
                fields.object = JSONReader(try JSONScanner.validate(text, &fields), of: text)
            } catch {
                throw HostError(error)
            }
            let reader = fields.object
            return try body(reader, reader.kind == .object ? fields : nil)
        }
    }

    private init(values: UnsafeMutablePointer<JSONReader>, object: JSONReader) {
        unsafe self.values = unsafe values
        self.object = object
    }

    mutating func add(_ key: JSONTextSlice, _ value: JSONReader) {
        guard let name = FieldName.table[key] else {
            hasOthers = true
            return
        }
        names |= name.bit
        unsafe (values + Int(name.rawValue)).initialize(to: value)
        if name == .op, let text = value.text { operation = Operation.table[text] ?? .unknown }
    }

    /// Checks a message and visits its objects in order; nil stands for an element that is not an
    /// object.
    @inline(__always)
    package static func forEachObject(
        _ message: BorrowedBytes,
        _ visit: (BorrowedBytes, Fields?) -> Void
    ) throws(HostError) {
        try read(message) { reader, fields throws(HostError) in
            guard reader.kind == .array else { return visit(reader.bytes, fields) }
            for element in reader.elements {
                try read(element.bytes) { reader, fields in visit(reader.bytes, fields) }
            }
        }
    }

    /// The field of that name, as it stands in the text.
    @inline(__always)
    package subscript(name: FieldName) -> JSONReader? {
        unsafe names & name.bit != 0 ? values[Int(name.rawValue)] : nil
    }

    /// The field of a name that may be the word of a source.
    package subscript(word: String) -> JSONReader? {
        if let name = word.withBorrowedBytes({ FieldName.table[$0] }) { return self[name] }
        guard hasOthers else { return nil }
        for member in object.members where member.key == word { return member.value }
        return nil
    }

    /// Those of `known` that are fields of the message, in their order.
    package func words(among known: FieldWords) -> [String] {
        known.words.compactMap { has($0) ? $0.text : nil }
    }

    /// The one of `known` that is a field of the message; nil if none is, or several are.
    package func onlyWord(among known: FieldWords) -> String? {
        let named = names & known.names
        let others = hasOthers ? known.words.filter { $0.name == nil && has($0) } : []
        guard named.nonzeroBitCount + others.count == 1 else { return nil }
        return others.first?.text ?? FieldName(rawValue: UInt8(named.trailingZeroBitCount))?.text
    }

    @inline(__always)
    private func has(_ word: FieldWords.Word) -> Bool {
        if let name = word.name { self[name] != nil } else { hasOthers && self[word.text] != nil }
    }

    /// The `id`, if it is present and valid.
    package var id: UInt64? {
        guard let number = self[.id]?.int, (1...9_007_199_254_740_991).contains(number) else { return nil }
        return UInt64(number)
    }

    /// The `id`; throws if it is present and invalid.
    package func checkedID() throws(HostError) -> UInt64? {
        guard let field = self[.id] else { return nil }
        guard let id, field.kind == .number else {
            throw HostError(.badField, "id: a number from 1 to 2^53-1 is needed")
        }
        return id
    }

    package func string(_ name: FieldName) throws(HostError) -> String? {
        guard let field = self[name] else { return nil }
        guard let string = field.string else {
            throw HostError(.badField, "\(name.text): a string is needed")
        }
        return string
    }

    package func bool(_ name: FieldName) throws(HostError) -> Bool? {
        guard let field = self[name] else { return nil }
        guard let bool = field.bool else {
            throw HostError(.badField, "\(name.text): true or false is needed")
        }
        return bool
    }

    /// A field that is a whole number within `range`.
    package func integer(_ name: FieldName, in range: ClosedRange<Int>) throws(HostError) -> Int? {
        guard let field = self[name] else { return nil }
        guard let number = field.int, range.contains(number) else {
            throw HostError(
                .badField,
                "\(name.text): a number from \(range.lowerBound) to \(range.upperBound) is needed"
            )
        }
        return number
    }

    /// Refuses an option that this server does not offer: nothing is ignored in silence.
    package func refuse(_ names: FieldName..., because reason: String) throws(HostError) {
        for name in names where self[name] != nil { throw HostError(.badField, "\(name.text): \(reason)") }
    }
}

extension JSONReader {
    /// The bytes of a name of a graph or node; nil for a string with escapes, which no name needs.
    package func name(_ field: FieldName) throws(HostError) -> BorrowedBytes? {
        guard let text else { throw HostError(.badField, "\(field.text): a name is needed") }
        return text.hasEscapes ? nil : text.inside
    }
}
