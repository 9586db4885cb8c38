/// The fields of one client message or request body, found once, read by name.
///
/// The bytes are lent: fields live no longer than the message.
struct Fields {
    enum Operation {
        case hello, auth, sub, unsub, mod, release, observe, demand, set, drop, load, get, list, ping, unknown

        /// Whether it asks for a commit: such requests count as sets.
        var isChange: Bool { self == .set || self == .drop || self == .load }

        /// Whether it may build nodes or look at many.
        var isDear: Bool {
            switch self {
            case .sub, .release, .observe, .demand, .get, .list: true
            case .hello, .auth, .unsub, .mod, .set, .drop, .load, .ping, .unknown: false
            }
        }
    }

    private let members: ContiguousArray<JSONMembers.Member>

    /// The fields of a validated object.
    init?(_ object: JSONReader) {
        guard object.kind == .object else { return nil }
        members = ContiguousArray(object.members)
    }

    /// Checks a message and visits its objects in order; nil stands for an element that is no object.
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

    /// The field of that name, as it stands in the text.
    subscript(name: StaticString) -> JSONReader? {
        for member in members where member.key == name { return member.value }
        return nil
    }

    /// The field of that name.
    subscript(name: String) -> JSONReader? {
        members.first { $0.key.string == name }?.value
    }

    /// Those of `names` that are fields of the message, each once, in their order.
    func names(among names: [String]) -> [String] {
        let present = Set(members.map(\.key.string))
        return names.filter(present.contains)
    }

    /// What the client wants (`op`).
    var operation: Operation {
        guard let text = self["op"]?.text else { return .unknown }
        if text == "set" { return .set }
        if text == "sub" { return .sub }
        if text == "unsub" { return .unsub }
        if text == "get" { return .get }
        if text == "ping" { return .ping }
        if text == "mod" { return .mod }
        if text == "drop" { return .drop }
        if text == "load" { return .load }
        if text == "release" { return .release }
        if text == "observe" { return .observe }
        if text == "demand" { return .demand }
        if text == "list" { return .list }
        if text == "hello" { return .hello }
        if text == "auth" { return .auth }
        return .unknown
    }

    /// The `id`, if it is there and acceptable.
    var id: UInt64? {
        guard let number = self["id"]?.int, (1...9_007_199_254_740_991).contains(number) else { return nil }
        return UInt64(number)
    }

    /// The `id`; refuses one that is there and not acceptable.
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

    /// Refuses an option that this server does not offer: nothing is ignored in silence.
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
