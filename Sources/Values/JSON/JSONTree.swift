public import CEL
public import Support

/// Makes trees from JSON texts: every number a `double`, or beyond 2^53 an `int` or `uint` if it is
/// written as a whole number; every object a map with string keys in their order.
public enum JSONTree {
    /// Parses `bytes` and makes the tree of the value.
    public static func parse(
        _ bytes: BorrowedBytes,
        limits: JSONLimits = .standard
    ) throws(JSONError) -> Value {
        tree(of: try JSONReader(checking: bytes, limits: limits))
    }

    public static func tree(of reader: JSONReader) -> Value {
        var builder = Builder(skim: JSONSkim(reader.bytes, from: 0))
        return builder.value() ?? .null
    }

    static func number(_ text: BorrowedBytes) -> Value {
        let double = JSONNumber.double(text)
        // With a fraction or an exponent it is meant as a double.
        guard (0x1p53...0x1p64).contains(double.magnitude), JSONNumber.hasDigitsOnly(text),
            let whole = JSONNumber.whole(text), let value = Value(whole: whole)
        else {
            return .double(double)
        }
        return value
    }

    /// Walks the text once; recursion is as deep as validated text may nest.
    private struct Builder {
        var skim: JSONSkim

        /// The next value; nil at a closing bracket, which is consumed.
        mutating func value() -> Value? {
            guard let first = skim.first() else { return nil }
            switch first {
            case UInt8(ascii: "{"):
                skim.enter()
                var builder = ValueMap.Builder(capacity: 4)
                while let key = skim.text() {
                    guard let value = value() else { break }
                    _ = builder.append(JSONString.string(key), value)
                }
                return .map(builder.finish())
            case UInt8(ascii: "["):
                skim.enter()
                var elements: [Value] = []
                while let element = value() {
                    elements.append(element)
                }
                return .list(ValueList(elements))
            case UInt8(ascii: "\""):
                return skim.text().map { .string(JSONString.string($0)) }
            case UInt8(ascii: "t"), UInt8(ascii: "f"):
                _ = skim.value()
                return .bool(first == UInt8(ascii: "t"))
            case UInt8(ascii: "n"):
                _ = skim.value()
                return .null
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                skim.enter()
                return nil
            default:
                return skim.value().map(JSONTree.number)
            }
        }
    }
}
