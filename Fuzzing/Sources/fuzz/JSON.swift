import CEL
import Support
import Values

extension Target {
    /// JSON: scanner, reader, tree, datum and equality agree, and what is written is read as the
    /// same again.
    static let json = Target(name: "json") { bytes in
        let checked = Result { try JSONScanner.validate(bytes) }
        guard case .success(let extent) = checked else {
            require((try? JSONReader(checking: bytes)) == nil, "the reader takes what the scanner refuses")
            require((try? JSONTree.parse(bytes)) == nil, "the tree takes what the scanner refuses")
            require((try? Datum.parse(bytes)) == nil, "a datum takes what the scanner refuses")
            return
        }
        require(String(validating: bytes, as: UTF8.self) != nil, "accepted, and not UTF-8")
        let inner = bytes.part(extent.start..<extent.end)
        guard let reader = try? JSONReader(checking: bytes), let tree = try? JSONTree.parse(bytes),
            let datum = try? Datum.parse(bytes)
        else { fatalError("a reader refuses what the scanner takes") }
        let walked = walk(reader)
        require(same(tree, walked), "tree and reader differ")
        require(same(tree, datum.tree), "tree and datum differ")
        require(JSONEquality.areEqual(inner, inner), "a text is not equal to itself")
        var written: [UInt8] = []
        guard (try? JSONWriter.append(tree, to: &written)) != nil else {
            fatalError("a tree cannot be written")
        }
        written.withBorrowedBytes { text in
            guard let again = try? JSONTree.parse(text) else { fatalError("what was written cannot be read") }
            require(same(tree, again), "written and read again it is another tree")
            // Numbers are compared as decimals: what a double cannot hold exactly is written as
            // another number.
            guard JSONEquality.areEqual(inner, text) else { return }
            require(JSONEquality.areEqual(text, inner), "equality is not symmetric")
        }
    }

    private static func walk(_ reader: JSONReader) -> Value {
        switch reader.kind {
        case .null: .null
        case .bool: .bool(reader.bool ?? false)
        case .number: number(reader)
        case .string: .string(reader.string ?? "")
        case .array: .list(ValueList(reader.elements.map(walk)))
        case .object: .map(ValueMap(reader.members.map { ($0.key.string, walk($0.value)) }))
        }
    }

    /// A double, or a whole number where that is not exact.
    private static func number(_ reader: JSONReader) -> Value {
        let double = reader.double ?? .nan
        guard double.magnitude >= 0x1p53 else { return .double(double) }
        let text = String(decoding: reader.bytes, as: UTF8.self)
        return Int64(text).map { .int($0) } ?? UInt64(text).map { .uint($0) } ?? .double(double)
    }

    /// Swift's strings are equal when they look alike; here every scalar counts.
    private static func same(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.null, .null): return true
        case (.bool(let x), .bool(let y)): return x == y
        case (.int(let x), .int(let y)): return x == y
        case (.uint(let x), .uint(let y)): return x == y
        case (.double(let x), .double(let y)): return x == y && x.sign == y.sign
        case (.string(let x), .string(let y)): return x.utf8.elementsEqual(y.utf8)
        case (.list(let x), .list(let y)):
            return x.count == y.count && zip(x.elements, y.elements).allSatisfy { same($0, $1) }
        case (.map(let x), .map(let y)):
            return x.count == y.count
                && zip(x, y).allSatisfy { same($0.key, $1.key) && same($0.value, $1.value) }
        default: return false
        }
    }
}
