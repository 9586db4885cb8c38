/// Values as `%s` shows them.
enum FormatText {
    static func special(_ number: Double) -> String {
        number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
    }

    /// Descends at most as deeply as values nest; every piece is paid for.
    static func string(_ value: Value, _ meter: inout Meter) throws(Failure) -> String {
        var text: [UInt8] = []
        try append(value, to: &text, &meter)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(
        _ value: Value,
        to text: inout [UInt8],
        _ meter: inout Meter
    ) throws(Failure) {
        try meter.spend(Price.object)
        switch value {
        case .null: text += "null".utf8
        case .bool(let flag): text += (flag ? "true" : "false").utf8
        case .int(let number): text += String(number).utf8
        case .uint(let number): text += String(number).utf8
        case .double(let number):
            try meter.spend(Price.doubleText)
            let digits = number.isFinite ? NumberText.text(number, strictly: meter.isStrict) : special(number)
            text += digits.utf8
        case .string(let string):
            try meter.spend(bytes: string.utf8.count)
            text += string.utf8
        case .bytes(let bytes):
            // Bytes that are not UTF-8 are replaced one by one, 40 ns each.
            try meter.spend(2 * bytes.count)
            text += String(decoding: bytes, as: UTF8.self).utf8
        case .list(let list):
            text.append(UInt8(ascii: "["))
            for (position, element) in list.elements.enumerated() {
                if position > 0 { text += ", ".utf8 }
                try append(element, to: &text, &meter)
            }
            text.append(UInt8(ascii: "]"))
        case .map(let map): try append(map, to: &text, &meter)
        case .timestamp(let moment):
            try meter.spend(Price.timeText)
            text += moment.text(trimsZeros: true).utf8
        case .duration(let span):
            try meter.spend(Price.timeText)
            text += span.text(trimsZeros: true).utf8
        case .type(let type): text += type.rawValue.utf8
        case .optional: throw .type("'%s' does not take optional_type")
        }
    }

    /// The entries in the order of their keys' texts.
    private static func append(_ map: ValueMap, to text: inout [UInt8], _ meter: inout Meter) throws(Failure)
    {
        var entries: [(key: String, value: Value)] = []
        var length = 0
        for entry in map {
            let key = try string(entry.key, &meter)
            length += key.utf8.count
            entries.append((key, entry.value))
        }
        // Sorting compares each key as often as the number of keys has bits.
        let comparisons = Int.bitWidth - entries.count.leadingZeroBitCount
        try meter.spend(comparisons * (2 * entries.count + length >> 3))
        entries.sort { $0.key.comparesBytes(to: $1.key) < 0 }
        text.append(UInt8(ascii: "{"))
        for (position, entry) in entries.enumerated() {
            text += (position > 0 ? ", " : "").utf8
            text += entry.key.utf8
            text += ": ".utf8
            try append(entry.value, to: &text, &meter)
        }
        text.append(UInt8(ascii: "}"))
    }
}
