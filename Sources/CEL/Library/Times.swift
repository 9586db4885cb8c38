internal import Support

/// The parts of timestamps and durations.
enum Times {
    /// No name of a zone has more bytes.
    static let longestZone = 64

    static let functions: [Function] = [
        part("getFullYear") { civil, _ in civil.year },
        part("getMonth") { civil, _ in civil.month - 1 },
        part("getDayOfYear") { civil, _ in civil.dayOfYear },
        part("getDayOfMonth") { civil, _ in civil.day - 1 },
        part("getDate") { civil, _ in civil.day },
        part("getDayOfWeek") { civil, _ in civil.weekday },
        part("getHours", ofDuration: { Int($0.seconds / 3_600) }) { civil, _ in civil.hour },
        part("getMinutes", ofDuration: { Int($0.seconds / 60) }) { civil, _ in civil.minute },
        part("getSeconds", ofDuration: { Int($0.seconds) }) { civil, _ in civil.second },
        part("getMilliseconds", ofDuration: { Int($0.nanos) / 1_000_000 }) { _, nanos in nanos / 1_000_000 },
    ]

    private static func part(
        _ name: String,
        ofDuration: (@Sendable (TimeSpan) -> Int)? = nil,
        ofMoment: @escaping @Sendable (CivilTime, _ nanos: Int) -> Int
    ) -> Function {
        var overloads: [Function.Overload] = [
            .method(.timestamp, gives: .int), .method(.timestamp, .string, gives: .int),
        ]
        if ofDuration != nil {
            overloads.append(.method(.duration, gives: .int))
        }
        return Function(name, overloads) { arguments, meter throws(Failure) in
            switch arguments[0] {
            case .timestamp(let moment):
                let offset = try arguments.count > 1 ? self.offset(arguments.string(1), moment, &meter) : 0
                let civil = CivilTime(secondsSinceEpoch: moment.seconds + Int64(offset))
                return .int(Int64(ofMoment(civil, Int(moment.nanos))))
            case .duration(let span):
                guard let ofDuration, arguments.count == 1 else { throw arguments.mismatch }
                return .int(Int64(ofDuration(span)))
            default:
                throw arguments.mismatch
            }
        }
    }

    private static func offset(
        _ zone: String,
        _ moment: Timestamp,
        _ meter: inout Meter
    ) throws(Failure) -> Int {
        try meter.spend(Price.zone)
        if let offset = TimeText.fixedOffset(zone) { return offset }
        guard zone.utf8.count <= longestZone, let rules = meter.zones?.rules(of: zone) else {
            try meter.spend(Price.unknownZone)
            throw .badValue("the time zone is not known")
        }
        return rules.offset(at: moment.seconds)
    }
}

extension Options {
    /// Seconds east of UTC at each moment, given in seconds since 1970, in a zone named as in
    /// expressions.
    ///
    /// - Returns: nil where there is no such zone.
    public func offset(of zone: String) -> (@Sendable (_ seconds: Int64) -> Int)? {
        if let offset = TimeText.fixedOffset(zone) { return { _ in offset } }
        guard zone.utf8.count <= Times.longestZone, let rules = zones?.rules(of: zone) else { return nil }
        return { rules.offset(at: $0) }
    }
}
