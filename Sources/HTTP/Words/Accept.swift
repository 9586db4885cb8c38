internal import Support

/// Which of several representations a client likes best (RFC 9110 §12.5.1).
public enum Accept {
    /// The index of the representation to send: the one with the highest quality, the earlier among
    /// equals.
    /// - Parameters:
    ///   - header: the value of `Accept`; nil or empty accepts everything.
    ///   - offers: media types in small letters, in the server's order of preference.
    /// - Returns: nil where the client accepts none of them (406).
    public static func choose(_ header: UnsafeRawBufferPointer?, from offers: [StaticString]) -> Int? {
        guard let header = unsafe header, header.count > 0 else { return offers.isEmpty ? nil : 0 }
        var best: (index: Int, quality: Int)?
        for (index, offer) in offers.enumerated() {
            let quality = unsafe quality(of: offer, in: header)
            if quality > 0, quality > best?.quality ?? 0 {
                best = (index, quality)
            }
        }
        return best?.index
    }

    /// The quality of a media type in thousandths; the most specific range counts.
    ///
    /// 0 where it is not accepted.
    public static func quality(of offer: StaticString, in header: UnsafeRawBufferPointer) -> Int {
        let name = unsafe UnsafeRawBufferPointer(start: offer.utf8Start, count: offer.utf8CodeUnitCount)
        let slash = unsafe name.firstIndex(of: ASCII.slash) ?? name.count
        var specificity = -1
        var quality = 0
        unsafe header.forEachListElement { element in
            let split = unsafe element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            let range = unsafe UnsafeRawBufferPointer(rebasing: element[..<split]).trimmed
            let rank: Int
            if unsafe range.equals("*/*") || range.equals("*") {
                rank = 0
            } else if unsafe range.equalsIgnoringCase(offer) {
                rank = 2
            } else if range.count == slash + 2, unsafe range.last == UInt8(ascii: "*"),
                (0...slash).allSatisfy({ unsafe $0 < name.count && ASCII.lowercased(range[$0]) == name[$0] })
            {
                rank = 1
            } else {
                return true
            }
            if rank > specificity {
                specificity = rank
                quality = unsafe weight(UnsafeRawBufferPointer(rebasing: element[split...]))
            }
            return true
        }
        return quality
    }

    /// The `q` among parameters, in thousandths; 1000 if there is none.
    private static func weight(_ parameters: UnsafeRawBufferPointer) -> Int {
        var start = 0
        while start < parameters.count {
            start += 1
            var end = start
            while end < parameters.count, unsafe parameters[end] != UInt8(ascii: ";") {
                end += 1
            }
            let parameter = unsafe UnsafeRawBufferPointer(
                rebasing: parameters[min(start, parameters.count)..<end]
            )
            .trimmed
            if parameter.count > 2, unsafe ASCII.lowercased(parameter[0]) == UInt8(ascii: "q"),
                unsafe parameter[1] == UInt8(ascii: "=")
            {
                return unsafe thousandths(UnsafeRawBufferPointer(rebasing: parameter[2...]))
            }
            start = end
        }
        return 1000
    }

    /// `0.25` is 250; anything else counts as 0.
    private static func thousandths(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count <= 5, let first = unsafe bytes.first, first == 48 || first == 49 else { return 0 }
        var value = Int(first - 48) * 1000
        guard bytes.count > 1 else { return value }
        guard unsafe bytes[1] == UInt8(ascii: ".") else { return 0 }
        var unit = 100
        for index in 2..<bytes.count {
            let byte = unsafe bytes[index]
            guard ASCII.isDigit(byte) else { return 0 }
            value += Int(byte - 48) * unit
            unit /= 10
        }
        return min(value, 1000)
    }
}
