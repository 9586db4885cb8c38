internal import Support
internal import Values

/// The owner names in a message: one, or a list, each once.
struct OwnerNames {
    /// The most owners of one subscription.
    static let most = 8
    /// The longest name, in bytes.
    static let longest = 64

    let names: [String]

    /// Reads a field; nil if the message does not have it.
    ///
    /// - Throws: `bad_field` for an invalid name, an empty list, and more than ``most`` different
    ///   names.
    init?(_ fields: Fields, _ field: FieldName) throws(HostError) {
        guard let value = fields[field] else { return nil }
        guard value.kind == .array else {
            names = [try Self.name(value, at: field.text)]
            return
        }
        var names: [String] = []
        for (place, element) in value.elements.enumerated() {
            let name = try Self.name(element, at: "\(field.text)[\(place)]")
            guard !names.contains(name) else { continue }
            guard names.count < Self.most else { throw Self.tooMany(field) }
            names.append(name)
        }
        guard !names.isEmpty else {
            throw HostError(
                .badField,
                "\(field.text): the list is empty; leave the field out, or name an owner"
            )
        }
        self.names = names
    }

    static func name(_ value: JSONReader, at place: String) throws(HostError) -> String {
        guard let name = value.string, name.utf8.count <= longest, Name.isValid(name) else {
            throw HostError(
                .badField,
                """
                \(place): the name of an owner is needed, 1 to \(longest) letters, digits, '_', '.' and '-', \
                not beginning with '.' or '-'
                """
            )
        }
        return name
    }

    fileprivate static func tooMany(_ field: FieldName) -> HostError {
        HostError(.badField, "\(field.text): a subscription has at most \(most) named owners")
    }
}

/// The change that a `mod` makes to the owners of a subscription.
struct OwnerChange {
    let added: [String]
    let removed: [String]

    /// Reads `addOwner` and `removeOwner`; nil if they change nothing.
    ///
    /// A name in both is removed.
    init?(_ fields: Fields, of subscription: Subscription) throws(HostError) {
        let (add, remove) = (try OwnerNames(fields, .addOwner), try OwnerNames(fields, .removeOwner))
        let present = subscription.ownerNames.compactMap(\.self)
        let gone = Set(remove?.names ?? [])
        added = (add?.names ?? []).filter { !present.contains($0) && !gone.contains($0) }
        removed = present.filter(gone.contains)
        guard present.count + added.count - removed.count <= OwnerNames.most else {
            throw OwnerNames.tooMany(.addOwner)
        }
        if added.isEmpty, removed.isEmpty { return nil }
    }
}
