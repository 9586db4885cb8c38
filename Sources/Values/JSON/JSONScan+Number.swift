internal import Support

extension JSONScan {
    /// Scans a number (RFC 8259 §6) that must fit a double.
    ///
    /// `at` is on `-` or a digit.
    @inline(__always)
    mutating func number() throws(JSONError) {
        let start = at
        var place = at
        if bytes[place] == UInt8(ascii: "-") {
            place += 1
            guard place < end else { throw error(.unexpectedEnd, place) }
        }
        let first = bytes[place] &- UInt8(ascii: "0")
        guard first <= 9 else { throw error(.badNumber, place) }
        place += 1
        if first == 0 {
            guard place == end || bytes[place] &- UInt8(ascii: "0") > 9 else {
                throw error(.badNumber, place)
            }
        } else {
            skipDigits(&place)
        }
        if place < end, bytes[place] == UInt8(ascii: ".") {
            place += 1
            try oneDigit(place)
            skipDigits(&place)
        }
        if place < end, bytes[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place < end, bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") {
                place += 1
            }
            try oneDigit(place)
            skipDigits(&place)
            at = place
            try checkRange(from: start)
        } else {
            at = place
            if place - start > 300 {
                try checkRange(from: start)
            }
        }
    }

    @inline(__always)
    private func oneDigit(_ place: Int) throws(JSONError) {
        guard place < end else { throw error(.unexpectedEnd, place) }
        guard bytes[place] &- UInt8(ascii: "0") <= 9 else { throw error(.badNumber, place) }
    }

    @inline(__always)
    private func skipDigits(_ place: inout Int) {
        while place < end, bytes[place] &- UInt8(ascii: "0") <= 9 {
            place += 1
        }
    }

    /// Throws if the number between `start` and `at` rounds to infinity.
    @inline(never)
    private func checkRange(from start: Int) throws(JSONError) {
        let text = bytes.part(start..<at)
        let decimal = JSONDecimal(text)
        guard !decimal.isZero, decimal.leadingExponent >= 308 else { return }
        guard decimal.leadingExponent == 308, JSONNumber.double(text).isFinite else {
            throw error(.numberOutOfRange, start)
        }
    }
}
