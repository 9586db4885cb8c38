public import Support

/// The 29 bytes of an IMF-fixdate (RFC 9110 §5.6.7).
///
/// The caller brings the time: once per loop turn is enough, and this module has no clock.
public struct HTTPDate: Sendable {
    /// Length of every date, in bytes.
    public static let length = 29

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Makes the date of `unixSeconds` since 1970, 0 ...
    ///
    /// 253402300799 (year 9999).
    public init(unixSeconds: Int64) {
        format(unixSeconds)
    }

    /// Appends the date.
    public func append(to buffer: inout ByteBuffer) {
        withUnsafeBytes(of: words) {
            buffer.append(UnsafeRawBufferPointer(rebasing: $0[..<Self.length]))
        }
    }

    /// The date as text.
    ///
    /// Not for the hot path.
    public var text: String {
        withUnsafeBytes(of: words) { String(decoding: $0[..<Self.length], as: UTF8.self) }
    }

    /// The seconds since 1970 of a date in this form; nil where it is none.
    public static func unixSeconds(of text: String) -> Int64? {
        let parts = text.split(whereSeparator: { $0 == " " || $0 == ":" })
        guard parts.count == 8, let day = Int(parts[1]), let year = Int(parts[3]), (0...9_999).contains(year),
            let month = (1...12).first(where: { monthName($0).description == parts[2] }),
            let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6])
        else { return nil }
        let days = CivilTime.daysSinceEpoch(year: year, month: month, day: min(max(day, 0), 99))
        let seconds = Int64(days) * 86_400 + Int64((hour % 24) * 3_600 + (minute % 60) * 60 + second % 60)
        // What is not a date, such as 30 February, is written in another way.
        return HTTPDate(unixSeconds: seconds).text == text ? seconds : nil
    }

    private mutating func format(_ seconds: Int64) {
        let clamped = min(max(seconds, 0), 253_402_300_799)
        let time = CivilTime(secondsSinceEpoch: clamped)
        withUnsafeMutableBytes(of: &words) { place in
            Self.write("Thu, 00 Jan 1970 00:00:00 GMT", to: place, at: 0)
            Self.write(Self.dayName(time.weekday), to: place, at: 0)
            Self.write(Self.monthName(time.month), to: place, at: 8)
            Self.write(time.day, digits: 2, to: place, at: 5)
            Self.write(time.year, digits: 4, to: place, at: 12)
            Self.write(time.hour, digits: 2, to: place, at: 17)
            Self.write(time.minute, digits: 2, to: place, at: 20)
            Self.write(time.second, digits: 2, to: place, at: 23)
        }
    }

    private static func write(_ text: StaticString, to place: UnsafeMutableRawBufferPointer, at start: Int) {
        for index in 0..<text.utf8CodeUnitCount {
            place[start + index] = text.utf8Start[index]
        }
    }

    private static func write(
        _ number: Int,
        digits: Int,
        to place: UnsafeMutableRawBufferPointer,
        at start: Int
    ) {
        var rest = number
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            place[index] = UInt8(48 + rest % 10)
            rest /= 10
        }
    }

    /// 0 is Sunday.
    private static func dayName(_ index: Int) -> StaticString {
        switch index {
        case 0: "Sun"
        case 1: "Mon"
        case 2: "Tue"
        case 3: "Wed"
        case 4: "Thu"
        case 5: "Fri"
        default: "Sat"
        }
    }

    /// 1 is January.
    private static func monthName(_ index: Int) -> StaticString {
        switch index {
        case 1: "Jan"
        case 2: "Feb"
        case 3: "Mar"
        case 4: "Apr"
        case 5: "May"
        case 6: "Jun"
        case 7: "Jul"
        case 8: "Aug"
        case 9: "Sep"
        case 10: "Oct"
        case 11: "Nov"
        default: "Dec"
        }
    }
}
