/// An immutable list of values, copied by reference.
public struct ValueList: Sendable {
    final class Storage: Sendable {
        let elements: [Value]
        let nestingDepth: Int

        init(_ elements: [Value]) {
            self.elements = elements
            var deepest = 0
            for element in elements {
                deepest = Swift.max(deepest, element.nestingDepth)
            }
            nestingDepth = deepest + 1
        }
    }

    let storage: Storage

    /// A list of `elements`.
    ///
    /// Linear in their number, because the nesting depth is noted.
    public init(_ elements: [Value]) {
        storage = Storage(elements)
    }

    /// The elements as an array; constant time.
    public var elements: [Value] {
        storage.elements
    }

    /// 1 for an empty list or one of scalars.
    ///
    /// Constant time.
    public var nestingDepth: Int {
        storage.nestingDepth
    }
}

extension ValueList: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.elements.count }

    public subscript(position: Int) -> Value {
        storage.elements[position]
    }
}
