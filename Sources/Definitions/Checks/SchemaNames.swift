internal import ReactiveGraph
internal import Values

/// The members of objects that a schema knows: those of `properties`, and those of `required`.
///
/// They are found by the bytes of their names, without making a `String`.
struct SchemaNames {
    /// A name, and what is known of the member.
    package final class Name {
        let text: String
        fileprivate(set) var schema: JSONSchema?
        fileprivate(set) var isRequired = false

        fileprivate init(_ text: String) {
            self.text = text
        }
    }

    /// nil while there are none: most schemas are not about objects.
    private var table: NameTable?
    /// Which lengths its names have, in bytes: that rules out most keys that a branch does not
    /// know.
    private var lengths: UInt64 = 0
    /// In the order of the schema.
    private(set) var all: [Name] = []
    private(set) var requiredCount = 0

    var isEmpty: Bool { table == nil }

    mutating func add(_ name: String, _ schema: JSONSchema?) {
        entry(name).schema = schema
    }

    mutating func require(_ name: String) {
        let entry = entry(name)
        guard !entry.isRequired else { return }
        entry.isRequired = true
        requiredCount += 1
    }

    private mutating func entry(_ name: String) -> Name {
        let table = table ?? NameTable { ($0 as! Name).text }
        self.table = table
        if let known = table[name] { return known as! Name }
        let entry = Name(name)
        table.insert(entry, named: name)
        all.append(entry)
        lengths |= Self.bit(name.utf8.count)
        return entry
    }

    private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(length & 63) }

    func find(_ key: JSONTextSlice) -> Name? {
        guard let table else { return nil }
        return key.withUTF8 { bytes in
            guard lengths & Self.bit(bytes.count) != 0 else { return nil }
            return table[bytes].map { $0 as! Name }
        }
    }

    /// The first required name that an object does not have.
    func missing(in value: JSONReader) -> String? {
        all.first { name in name.isRequired && !value.members.contains { $0.key == name.text } }?.text
    }
}
