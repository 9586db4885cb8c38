/// The fields of one client message or request body, located once, read by name.
///
/// The bytes are borrowed: fields must not outlive the message.
struct Fields {
    enum Operation: String, CaseIterable {
        case hello, auth, sub, unsub, mod, release, observe, demand, set, drop, load, get, list, ping, unknown

        private static let marks = allCases.map { operation in
            var word = operation.rawValue
            return (mark: word.withUTF8 { JSONString.mark(UnsafeRawBufferPointer($0)) }, operation: operation)
        }

        /// The operation that a text names.
        init(_ text: JSONTextSlice) {
            let mark = text.mark
            self = .unknown
            for each in Self.marks where each.mark == mark && text == each.operation.rawValue {
                self = each.operation
            }
        }

        /// Whether it makes a commit: such requests count as sets.
        var isChange: Bool { self == .set || self == .drop || self == .load }

        /// Whether it may build nodes or look at many.
        var isDear: Bool {
            switch self {
            case .sub, .release, .observe, .demand, .get, .list: true
            case .hello, .auth, .unsub, .mod, .set, .drop, .load, .ping, .unknown: false
            }
        }
    }

    private struct Member {
        /// Distinguishes most keys by one comparison (``JSONString/mark(_:)``).
        let mark: UInt64
        let key: JSONTextSlice
        let value: JSONReader
    }

    /// The operation (`op`).
    let operation: Operation
    private let members: ContiguousArray<Member>

    /// The fields of a validated object.
    init?(_ object: JSONReader) {
        guard object.kind == .object else { return nil }
        var (members, operation) = (ContiguousArray<Member>(), Operation.unknown)
        members.reserveCapacity(8)
        for member in object.members {
            let mark = member.key.mark
            members.append(Member(mark: mark, key: member.key, value: member.value))
            if member.key == "op", let text = member.value.text { operation = Operation(text) }
        }
        self.members = members
        self.operation = operation
    }

    /// Checks a message and visits its objects in order; nil stands for an element that is not an
    /// object.
    static func forEachObject(
        _ message: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, Fields?) -> Void
    ) throws(JSONError) {
        let reader = try JSONReader(checking: message)
        if reader.kind == .array {
            for element in reader.elements { visit(element.bytes, Fields(element)) }
        } else {
            visit(reader.bytes, Fields(reader))
        }
    }

    /// The field with that name, as written in the text.
    subscript(name: StaticString) -> JSONReader? {
        find(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// The field with that name.
    subscript(name: String) -> JSONReader? {
        var name = name
        return name.withUTF8 { find(UnsafeRawBufferPointer($0)) }
    }

    private func find(_ name: UnsafeRawBufferPointer) -> JSONReader? {
        let mark = JSONString.mark(name)
        for member in members where member.mark == mark && member.key == name { return member.value }
        return nil
    }

    /// Those of `names` that are fields of the message, in the order of `names`.
    func names(among names: FieldNames) -> [String] {
        var found: [String] = []
        for place in names.marks.indices {
            for member in members where member.mark == names.marks[place] && member.key == names.texts[place]
            {
                found.append(names.texts[place])
            }
        }
        return found
    }

    /// The `id`, if it is present and valid.
    var id: UInt64? {
        guard let number = self["id"]?.int, (1...9_007_199_254_740_991).contains(number) else { return nil }
        return UInt64(number)
    }

    /// The `id`; throws if it is present and invalid.
    func checkedID() throws(HostError) -> UInt64? {
        guard let field = self["id"] else { return nil }
        guard let id, field.kind == .number else {
            throw HostError(.badField, "id: a number from 1 to 2^53-1 is needed")
        }
        return id
    }

    /// A field that is a string.
    func string(_ name: StaticString) throws(HostError) -> String? {
        guard let field = self[name] else { return nil }
        guard let string = field.string else { throw HostError(.badField, "\(name): a string is needed") }
        return string
    }

    /// A field that is `true` or `false`.
    func bool(_ name: StaticString) throws(HostError) -> Bool? {
        guard let field = self[name] else { return nil }
        guard let bool = field.bool else { throw HostError(.badField, "\(name): true or false is needed") }
        return bool
    }

    /// A field that is a whole number within `range`.
    func integer(_ name: StaticString, in range: ClosedRange<Int>) throws(HostError) -> Int? {
        guard let field = self[name] else { return nil }
        guard let number = field.int, range.contains(number) else {
            throw HostError(
                .badField,
                "\(name): a number from \(range.lowerBound) to \(range.upperBound) is needed"
            )
        }
        return number
    }

    /// Throws for an option that this server does not offer: no option is ignored silently.
    func refuse(_ names: [StaticString], because reason: String) throws(HostError) {
        for name in names where self[name] != nil { throw HostError(.badField, "\(name): \(reason)") }
    }
}

extension JSONReader {
    /// The bytes of a name of a graph or node; nil for a string with escapes, which no name needs.
    func name(_ field: StaticString) throws(HostError) -> UnsafeRawBufferPointer? {
        guard let text else { throw HostError(.badField, "\(field): a name is needed") }
        return text.hasEscapes ? nil : text.inside
    }
}

/// Names of fields, prepared for lookups in many messages.
struct FieldNames: Sendable {
    let texts: [String]
    fileprivate let marks: [UInt64]

    /// Names without duplicates.
    init(_ names: [String]) {
        texts = names
        marks = names.map { name in
            var name = name
            return name.withUTF8 { JSONString.mark(UnsafeRawBufferPointer($0)) }
        }
    }
}
