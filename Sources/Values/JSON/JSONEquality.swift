public import Support

/// Whether two JSON texts have equal values: numbers by exact decimal value (`1.0`, `1` and `10e-1`
/// are equal), strings by content, arrays in order, objects in any order of keys.
public enum JSONEquality {
    /// Compares two validated values without white space around them.
    ///
    /// Linear in their length (times depth for
    /// objects with many keys in another order).
    public static func areEqual(_ a: BorrowedBytes, _ b: BorrowedBytes) -> Bool {
        if a.count == b.count, a.elementsEqual(b) { return true }
        return areEqual(JSONReader(validated: a), JSONReader(validated: b))
    }

    /// Feeds a value to a hasher: equal values alike.
    static func hash(_ value: JSONReader, into hasher: inout Hasher) {
        hasher.combine(value.kind)
        switch value.kind {
        case .null: break
        case .bool: hasher.combine(value.bytes[0])
        case .number: JSONDecimal(value.bytes).hash(into: &hasher)
        case .string: value.text?.withUTF8 { hasher.combine($0) }
        case .array: for element in value.elements { hash(element, into: &hasher) }
        case .object:
            // Independent of the order of the keys.
            var sum = 0
            for member in value.members {
                var inner = Hasher()
                member.key.withUTF8 { inner.combine($0) }
                hash(member.value, into: &inner)
                sum &+= inner.finalize()
            }
            hasher.combine(sum)
        }
    }

    private static func areEqual(_ a: JSONReader, _ b: JSONReader) -> Bool {
        let kind = a.kind
        guard kind == b.kind else { return false }
        switch kind {
        case .null: return true
        case .bool: return a.bytes[0] == b.bytes[0]
        case .number: return JSONDecimal(a.bytes) == JSONDecimal(b.bytes)
        case .string:
            guard let x = a.text, let y = b.text else { return false }
            return JSONString.isEqual(x.inside, x.hasEscapes, y.inside, y.hasEscapes)
        case .array:
            var others = b.elements
            for element in a.elements {
                guard let other = others.next(), areEqual(element, other) else { return false }
            }
            return others.next() == nil
        case .object:
            return areEqualObjects(a, b)
        }
    }

    /// Keys are usually in the same order; from the first difference on an index is used.
    private static func areEqualObjects(_ a: JSONReader, _ b: JSONReader) -> Bool {
        var (left, right) = (a.members, b.members)
        while true {
            guard let x = left.next() else { return right.next() == nil }
            guard let y = right.next() else { return false }
            let (xEscapes, yEscapes) = (x.key.hasEscapes, y.key.hasEscapes)
            guard JSONString.isEqual(x.key.inside, xEscapes, y.key.inside, yEscapes) else {
                return areEqualUnordered([x] + left, [y] + right)
            }
            guard areEqual(x.value, y.value) else { return false }
        }
    }

    private static func areEqualUnordered(_ a: [JSONMembers.Member], _ b: [JSONMembers.Member]) -> Bool {
        guard a.count == b.count else { return false }
        var index: [Key: Int] = [:]
        index.reserveCapacity(b.count)
        for (place, member) in b.enumerated() {
            index[Key(member.key)] = place
        }
        for member in a {
            guard let place = index[Key(member.key)], areEqual(member.value, b[place].value) else {
                return false
            }
        }
        return true
    }

    /// A key by its content.
    private struct Key: Hashable {
        let slice: JSONTextSlice

        init(_ slice: JSONTextSlice) {
            self.slice = slice
        }

        static func == (a: Key, b: Key) -> Bool {
            JSONString.isEqual(a.slice.inside, a.slice.hasEscapes, b.slice.inside, b.slice.hasEscapes)
        }

        func hash(into hasher: inout Hasher) {
            slice.withUTF8 { hasher.combine($0) }
        }
    }
}
