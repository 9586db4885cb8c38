public import Support

/// Which of several representations a client likes best (RFC 9110 §12.5.1).
public enum Accept {
    /// The index of the representation to send: the one with the highest quality, the earlier among
    /// equals.
    /// - Parameters:
    ///   - header: the value of `Accept`; nil or empty accepts everything.
    ///   - offers: media types in small letters, in the server's order of preference.
    /// - Returns: nil where the client accepts none of them (406).
    public static func choose(_ header: BorrowedBytes?, from offers: [StaticString]) -> Int? {
        guard let header = header, header.count > 0 else { return offers.isEmpty ? nil : 0 }
        var best: (index: Int, quality: Int)?
        for (index, offer) in offers.enumerated() {
            let quality = quality(of: offer, in: header)
            if quality > 0, quality > best?.quality ?? 0 {
                best = (index, quality)
            }
        }
        return best?.index
    }

    /// The quality of a media type in thousandths; the most specific range counts.
    ///
    /// 0 where it is not accepted.
    public static func quality(of offer: StaticString, in header: BorrowedBytes) -> Int {
        let name = unsafe BorrowedBytes(start: offer.utf8Start, count: offer.utf8CodeUnitCount)
        let slash = name.firstIndex(of: ASCII.slash) ?? name.count
        var specificity = -1
        var quality = 0
        header.forEachListElement { element in
            let split = element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            let range = element.part(..<split).trimmed
            let rank: Int
            if range.equals("*/*") || range.equals("*") {
                rank = 0
            } else if range.equalsIgnoringCase(offer) {
                rank = 2
            } else if range.count == slash + 2, range.last == UInt8(ascii: "*"),
                (0...slash).allSatisfy({ $0 < name.count && ASCII.lowercased(range[$0]) == name[$0] })
            {
                rank = 1
            } else {
                return true
            }
            if rank > specificity {
                specificity = rank
                quality = weight(element.part(split...))
            }
            return true
        }
        return quality
    }

    /// The `q` among parameters, in thousandths; 1000 if there is none.
    private static func weight(_ parameters: BorrowedBytes) -> Int {
        var start = 0
        while start < parameters.count {
            start += 1
            var end = start
            while end < parameters.count, parameters[end] != UInt8(ascii: ";") {
                end += 1
            }
            let parameter = BorrowedBytes(
                rebasing: parameters[min(start, parameters.count)..<end]
            )
            .trimmed
            if parameter.count > 2, ASCII.lowercased(parameter[0]) == UInt8(ascii: "q"),
                parameter[1] == UInt8(ascii: "=")
            {
                return thousandths(parameter.part(2...))
            }
            start = end
        }
        return 1000
    }

    /// `0.25` is 250; anything else counts as 0.
    private static func thousandths(_ bytes: BorrowedBytes) -> Int {
        guard bytes.count <= 5, let first = bytes.first, first == 48 || first == 49 else { return 0 }
        var value = Int(first - 48) * 1000
        guard bytes.count > 1 else { return value }
        guard bytes[1] == UInt8(ascii: ".") else { return 0 }
        var unit = 100
        for index in 2..<bytes.count {
            let byte = bytes[index]
            guard ASCII.isDigit(byte) else { return 0 }
            value += Int(byte - 48) * unit
            unit /= 10
        }
        return min(value, 1000)
    }
}
