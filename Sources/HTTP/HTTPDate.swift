/// The 29 bytes of an IMF-fixdate (RFC 9110 §5.6.7), formatted again only when the second changes.
///
/// The caller brings the time: once per loop turn is enough, and this module has no clock.
public struct HTTPDate: Sendable {
    /// Length of every date, in bytes.
    public static let length = 29

    private var seconds: Int64
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// Makes the date of `unixSeconds` since 1970, 0 ...
    ///
    /// 253402300799 (year 9999).
    public init(unixSeconds: Int64) {
        seconds = unixSeconds
        format()
    }

    /// Moves to `unixSeconds`; costs one comparison within a second.
    public mutating func update(unixSeconds: Int64) {
        if unixSeconds != seconds {
            seconds = unixSeconds
            format()
        }
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

    private mutating func format() {
        let clamped = min(max(seconds, 0), 253_402_300_799)
        let days = Int(clamped / 86_400)
        let rest = Int(clamped % 86_400)
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthPlace = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthPlace + 2) / 5 + 1
        let month = (monthPlace + 2) % 12
        let year = yearOfEra + era * 400 + (month < 2 ? 1 : 0)
        withUnsafeMutableBytes(of: &words) { place in
            Self.write("Thu, 00 Jan 1970 00:00:00 GMT", to: place, at: 0)
            Self.write(Self.dayName(days % 7), to: place, at: 0)
            Self.write(Self.monthName(month), to: place, at: 8)
            Self.write(day, digits: 2, to: place, at: 5)
            Self.write(year, digits: 4, to: place, at: 12)
            Self.write(rest / 3_600, digits: 2, to: place, at: 17)
            Self.write(rest / 60 % 60, digits: 2, to: place, at: 20)
            Self.write(rest % 60, digits: 2, to: place, at: 23)
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

    /// Day 0 of 1970 was a Thursday.
    private static func dayName(_ index: Int) -> StaticString {
        switch index {
        case 0: "Thu"
        case 1: "Fri"
        case 2: "Sat"
        case 3: "Sun"
        case 4: "Mon"
        case 5: "Tue"
        default: "Wed"
        }
    }

    private static func monthName(_ index: Int) -> StaticString {
        switch index {
        case 0: "Jan"
        case 1: "Feb"
        case 2: "Mar"
        case 3: "Apr"
        case 4: "May"
        case 5: "Jun"
        case 6: "Jul"
        case 7: "Aug"
        case 8: "Sep"
        case 9: "Oct"
        case 10: "Nov"
        default: "Dec"
        }
    }
}
