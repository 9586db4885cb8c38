// JSON written by hand: member names and punctuation are literals, so only strings and lists need
// care.

extension ByteSink where Self: ~Copyable {
    /// Appends `text` as a JSON string, quotes included (RFC 8259 §7): in the short escapes where
    /// JSON has them.
    public mutating func append(json text: String) {
        append(UInt8(ascii: "\""))
        text.withBorrowedBytes { bytes in
            var plain = 0
            for index in 0..<bytes.count {
                let byte = bytes[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                    continue
                }
                append(bytes.part(plain..<index))
                append(escape: byte)
                plain = index + 1
            }
            append(bytes.part(plain...))
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends each element as `write` writes it, with commas between.
    @inlinable
    public mutating func append<Elements: Sequence, Failure: Error>(
        separated elements: Elements,
        _ write: (Elements.Element, inout Self) throws(Failure) -> Void
    ) throws(Failure) {
        var isFirst = true
        for element in elements {
            if !isFirst { append(UInt8(ascii: ",")) }
            isFirst = false
            try write(element, &self)
        }
    }

    /// Appends `[…]` with each element as `write` writes it.
    @inlinable
    public mutating func append<Elements: Sequence, Failure: Error>(
        list elements: Elements,
        _ write: (Elements.Element, inout Self) throws(Failure) -> Void
    ) throws(Failure) {
        append(UInt8(ascii: "["))
        try append(separated: elements, write)
        append(UInt8(ascii: "]"))
    }

    private mutating func append(escape byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0a: append(UInt8(ascii: "n"))
        case 0x0c: append(UInt8(ascii: "f"))
        case 0x0d: append(UInt8(ascii: "r"))
        case 0..<0x20:
            for digit in "u00".utf8 { append(digit) }
            append(ASCII.hexadecimalDigit(byte >> 4))
            append(ASCII.hexadecimalDigit(byte & 15))
        default: append(byte)
        }
    }
}

// Members of objects, each after a comma unless the object begins here.
extension ByteBuffer {
    /// Appends the name of a member and its colon; the value is up to the caller.
    public mutating func member(_ name: StaticString) {
        append(bytes.last == UInt8(ascii: "{") ? "\"" : ",\"")
        append(name)
        append("\":")
    }

    /// Appends a member, or nothing for nil.
    public mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        member(name)
        append(json: text)
    }

    /// Appends a member, or nothing for nil.
    public mutating func member(_ name: StaticString, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        member(name)
        append(decimal: number)
    }

    public mutating func member(_ name: StaticString, _ flag: Bool) {
        member(name)
        append(flag ? "true" : "false")
    }

    /// Appends a member with an object whose members `write` appends.
    public mutating func member(_ name: StaticString, object write: (inout ByteBuffer) -> Void) {
        member(name)
        append("{")
        write(&self)
        append("}")
    }

    /// Appends a member with a list of what `write` appends for each element.
    public mutating func member<Elements: Sequence>(
        _ name: StaticString,
        list elements: Elements,
        _ write: (Elements.Element, inout ByteBuffer) -> Void
    ) {
        member(name)
        append(list: elements, write)
    }

    /// Appends a member with a list of objects, whose members `write` appends.
    public mutating func member<Elements: Sequence>(
        _ name: StaticString,
        objects elements: Elements,
        _ write: (Elements.Element, inout ByteBuffer) -> Void
    ) {
        member(name, list: elements) { element, out in
            out.append("{")
            write(element, &out)
            out.append("}")
        }
    }
}

extension String {
    /// `text` as a JSON string, quotes included.
    public init(json text: String) {
        var bytes: [UInt8] = []
        bytes.append(json: text)
        self.init(decoding: bytes, as: UTF8.self)
    }
}
