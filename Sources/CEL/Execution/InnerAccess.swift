/// Fields of maps, elements of lists and texts without counting references: what makes
/// `value.a > value.b` and macros cheap.
///
/// It knows how a `Value` lies in memory: the payload first, which is a string, or for a map or a
/// list one reference. A test holds the compiler to that. The caller keeps the container alive
/// while it uses the answer.
enum InnerAccess {
    /// Where an element of a list lies; nil: the operand is another value, or the list has ended.
    @inline(__always)
    static func element(in operand: UnsafePointer<Value>, at position: Int) -> UnsafePointer<Value>? {
        guard case .list = unsafe operand.pointee else { return nil }
        let storage = unsafe UnsafeRawPointer(operand).load(as: Unmanaged<ValueList.Storage>.self)
        return unsafe storage._withUnsafeGuaranteedRef { storage in
            unsafe storage.elements.withUnsafeBufferPointer { elements in
                unsafe position < elements.count ? elements.baseAddress.map { unsafe $0 + position } : nil
            }
        }
    }

    /// Replaces the top of the stack with the bits of the next element of the list, or key of the
    /// map, at `range`, and advances the position, which is in the slot after `range`.
    ///
    /// - Returns: whether there was one.
    @inline(__always)
    static func advance(_ range: UnsafeMutablePointer<Value>, _ top: UnsafeMutablePointer<Value>) -> Bool {
        guard case .int(let counted) = unsafe range[1] else { return false }
        let position = Int(counted)
        var next = unsafe UnsafeRawPointer(element(in: range, at: position))
        if unsafe next == nil, case .map(let map) = unsafe range.pointee, position < map.count {
            // The key comes first in an entry.
            unsafe next = unsafe UnsafeRawPointer(map.storage.first + position)
        }
        guard let next = unsafe next else { return false }
        unsafe UnsafeMutableRawPointer(top - 1).copyMemory(from: next, byteCount: MemoryLayout<Value>.size)
        unsafe (range + 1).initialize(to: .int(counted + 1))
        return true
    }

    /// Replaces the two topmost values with the next key and value, which the stack holds then.
    @inline(never)
    static func advancePair(_ range: UnsafeMutablePointer<Value>, _ top: UnsafeMutablePointer<Value>) -> Bool
    {
        guard case .int(let counted) = unsafe range[1] else { return false }
        let position = Int(counted)
        if let element = unsafe element(in: range, at: position) {
            unsafe (top - 2).initialize(to: .int(counted))
            unsafe (top - 1).pointee = unsafe element.pointee
        } else if case .map(let map) = unsafe range.pointee, position < map.count {
            let entry = unsafe map.storage.first + position
            unsafe (top - 2).pointee = unsafe entry.pointee.key
            unsafe (top - 1).pointee = unsafe entry.pointee.value
        } else {
            return false
        }
        unsafe (range + 1).initialize(to: .int(counted + 1))
        return true
    }

    /// Where the value of a field lies, when the operand is a small map that has it; nil says
    /// nothing.
    @inline(__always)
    static func value(
        in operand: UnsafePointer<Value>,
        _ key: UnsafePointer<FieldKey>
    ) -> UnsafePointer<Value>? {
        guard case .map = unsafe operand.pointee else { return nil }
        let storage = unsafe UnsafeRawPointer(operand).load(as: Unmanaged<ValueMap.Storage>.self)
        return unsafe storage._withUnsafeGuaranteedRef { storage in
            guard storage.index == nil else { return nil }
            var entry = unsafe UnsafePointer(storage.first)
            let end = unsafe entry + storage.count
            while unsafe entry < end {
                if unsafe entry.pointee.tag == key.pointee.tag, unsafe isSameText(entry, key) {
                    return unsafe UnsafeRawPointer(entry)
                        .advanced(by: MemoryLayout<ValueMap.Entry>.offset(of: \.value)!)
                        .assumingMemoryBound(to: Value.self)
                }
                unsafe entry += 1
            }
            return nil
        }
    }

    /// Where the text of a value lies; nil: it is another value.
    @inline(__always)
    static func text(_ values: UnsafeBufferPointer<Value>, _ position: Int) -> UnsafePointer<String>? {
        let value = unsafe values.baseAddress.unsafelyUnwrapped + position
        guard case .string = unsafe value.pointee else { return nil }
        return unsafe UnsafeRawPointer(value).assumingMemoryBound(to: String.self)
    }

    /// Whether both strings are the same words in memory, as short equal strings are.
    @inline(__always)
    private static func isSameText(
        _ entry: UnsafePointer<ValueMap.Entry>,
        _ key: UnsafePointer<FieldKey>
    ) -> Bool {
        guard case .string = unsafe entry.pointee.key else { return false }
        let mine = unsafe UnsafeRawPointer(entry).load(as: (UInt64, UInt64).self)
        let other = unsafe UnsafeRawPointer(key).load(as: (UInt64, UInt64).self)
        return mine == other
    }
}

extension Meter {
    /// The concatenation of several strings.
    mutating func joined(_ texts: UnsafeBufferPointer<Value>) throws(Failure) -> Value {
        try spend(2 * texts.count)
        var length = 0
        for position in 0..<texts.count {
            guard let text = unsafe InnerAccess.text(texts, position) else {
                // A variable is not what was declared: what adding it to the one before would say.
                let pair = unsafe position == 0 ? texts[0...1] : texts[position - 1...position]
                throw unsafe .noOverload("+", pair.map(\.typeName))
            }
            unsafe length += text.pointee.utf8.count
        }
        try spend(bytes: length)
        if length > 15 { try spend(Price.object) }
        return .string(
            .written(length) { writer in
                for position in 0..<texts.count {
                    if let text = unsafe InnerAccess.text(texts, position) {
                        unsafe writer.append(text.pointee)
                    }
                }
            }
        )
    }
}
