package import CEL
package import Support

/// A number of a value, to the last digit: a double, and beyond 2^53 a whole number of 64 bits.
///
/// Zero has no sign, so that equal numbers are identical.
public struct Number: Comparable {
    package let value: Value

    public init(_ double: Double) {
        value = .double(double + 0)
    }

    /// Nil for a value of another kind.
    package init?(_ value: Value) {
        switch value {
        case .double(let number): self.value = .double(number + 0)
        case .int, .uint: self.value = value
        default: return nil
        }
    }

    /// The number of a JSON text.
    package init(text: BorrowedBytes) {
        self = Number(JSONTree.number(text)) ?? Number(.nan)
    }

    /// The nearest double.
    package var double: Double { value.number ?? .nan }

    /// Its JSON text; empty for what JSON cannot represent.
    package var text: String {
        var bytes: [UInt8] = []
        guard (try? JSONWriter.append(value, to: &bytes)) != nil else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    public static func == (a: Number, b: Number) -> Bool { a.value == b.value }

    public static func < (a: Number, b: Number) -> Bool { numericOrder(a.value, b.value) == .less }

    /// The difference; nil if it is a whole number with more digits than a number can have.
    package static func - (a: Number, b: Number) -> Number? {
        guard let x = a.value.whole, let y = b.value.whole else { return Number(a.double - b.double) }
        return Value(whole: x - y).flatMap { Number($0) }
    }
}
