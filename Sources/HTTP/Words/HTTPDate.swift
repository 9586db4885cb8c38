public import Support

/// The 29 bytes of an IMF-fixdate (RFC 9110 §5.6.7).
///
/// The caller brings the time: once per loop turn is enough, and this module has no clock.
public struct HTTPDate: Sendable {
    /// Length of every date, in bytes.
    public static let length = 29

    private var bytes = Array("Thu, 00 Jan 1970 00:00:00 GMT".utf8)

    /// Makes the date of `unixSeconds` since 1970, which is limited to the years up to 9999.
    public init(unixSeconds: Int64) {
        let time = CivilTime(secondsSinceEpoch: min(max(unixSeconds, 0), 253_402_300_799))
        bytes.replaceSubrange(0..<3, with: Self.dayNames[time.weekday].utf8)
        bytes.replaceSubrange(8..<11, with: Self.monthNames[time.month - 1].utf8)
        write(time.day, digits: 2, at: 5)
        write(time.year, digits: 4, at: 12)
        write(time.hour, digits: 2, at: 17)
        write(time.minute, digits: 2, at: 20)
        write(time.second, digits: 2, at: 23)
    }

    /// Appends the date.
    public func append(to buffer: inout ByteBuffer) {
        buffer.append(bytes)
    }

    /// The date as text.
    ///
    /// Not for the hot path.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The seconds since 1970 of a date in this form; nil where it is none.
    public static func unixSeconds(of text: String) -> Int64? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == ":" })
        guard parts.count == 8, let day = Int(parts[1]), let year = Int(parts[3]), (0...9_999).contains(year),
            let month = monthNames.firstIndex(where: { $0 == parts[2] }).map({ $0 + 1 }),
            let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6])
        else { return nil }
        let days = CivilTime.daysSinceEpoch(year: year, month: month, day: min(max(day, 0), 99))
        let seconds = Int64(days) * 86_400 + Int64((hour % 24) * 3_600 + (minute % 60) * 60 + second % 60)
        // What is not a date, such as 30 February, is written in another way.
        return HTTPDate(unixSeconds: seconds).text == text ? seconds : nil
    }

    private mutating func write(_ number: Int, digits: Int, at start: Int) {
        var rest = number
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            bytes[index] = UInt8(48 + rest % 10)
            rest /= 10
        }
    }

    private static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
