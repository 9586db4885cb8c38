public import CEL

/// Makes trees from JSON texts: every number a `double`, every object a map with string keys in their order.
public enum JSONTree {
    /// Checks `bytes` and makes the tree of the value in them.
    public static func parse(
        _ bytes: UnsafeRawBufferPointer,
        limits: JSONLimits = .standard
    ) throws(JSONError) -> Value {
        tree(of: try JSONReader(checking: bytes, limits: limits))
    }

    /// The tree of validated text.
    public static func tree(of reader: JSONReader) -> Value {
        switch reader.kind {
        case .null: return .null
        case .bool: return .bool(reader.bytes[0] == UInt8(ascii: "t"))
        case .number: return .double(JSONNumber.double(reader.bytes))
        case .string: return .string(reader.string ?? "")
        case .array:
            var elements: [Value] = []
            for element in reader.elements {
                elements.append(tree(of: element))
            }
            return .list(ValueList(elements))
        case .object:
            var builder = ValueMap.Builder()
            for member in reader.members {
                _ = builder.append(member.key.string, tree(of: member.value))
            }
            return .map(builder.finish())
        }
    }
}
