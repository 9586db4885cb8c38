internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

/// `schedule: "0 22 * * *"`, with its sibling key `zone`.
struct ScheduleArgument: SourceArgument {
    let schedule: CronSchedule
    let zone: Zone

    static let schema = Schema.string(atMost: 256)
    static let beside = [Zone.field]
    let inputs: [String] = []
    var canonical: String { "\(schedule);\(zone.name)" }

    static func read(_ reading: SourceReading) -> ScheduleArgument? {
        let zone = reading.zone()
        guard let text = reading.text(), reading.takesClock() else { return nil }
        let schedule = reading.cron(reading.argument) { () throws(CronError) in try CronSchedule(text) }
        guard let schedule, let zone else { return nil }
        return ScheduleArgument(schedule: schedule, zone: zone)
    }
}

/// `between: ["22:00", "06:00"]`, with its sibling keys `zone` and `days`.
struct BetweenArgument: SourceArgument {
    let begins: CronSchedule
    let ends: CronSchedule
    let zone: Zone

    static let schema = Schema.list(of: .string(pattern: "^([01]?[0-9]|2[0-3]):[0-5][0-9]$"), 2, 2)
    static let beside = [
        Zone.field,
        Schema.Field.optional(
            "days",
            .string(atMost: 64),
            "The weekdays on which it begins: mon-fri, or sat,sun."
        ),
    ]
    let inputs: [String] = []
    var canonical: String { "\(begins);\(ends);\(zone.name)" }

    static func read(_ reading: SourceReading) -> BetweenArgument? {
        let zone = reading.zone()
        let reader = reading.reader
        guard reading.takesClock() else { return nil }
        guard let elements = reading.argument.elements, elements.count == 2 else {
            return reader.refuse(
                "between must be a list of two times of day",
                at: reading.argument.position,
                hint: "such as [\"22:00\", \"06:00\"]"
            )
        }
        let times = elements.map { reading.timeOfDay($0) }
        guard let from = times[0], let to = times[1] else { return nil }
        guard from != to else {
            return reader.refuse("the two times of between are the same", at: elements[1].position)
        }
        var begins = reading.cron(elements[0]) { () throws(CronError) in try CronSchedule(minute: from) }
        if let days = reading.beside["days"] {
            guard let text = reader.text(days, of: "days") else { return nil }
            begins = reading.cron(days) { () throws(CronError) in
                try CronSchedule(minute: from, weekdays: text)
            }
        }
        let ends = reading.cron(elements[1]) { () throws(CronError) in try CronSchedule(minute: to) }
        guard let begins, let ends, let zone else { return nil }
        return BetweenArgument(begins: begins, ends: ends, zone: zone)
    }
}

/// A time zone by its name, or an offset such as `+02:00`.
struct Zone {
    let name: String
    /// Seconds east of UTC.
    let offset: CronSchedule.Offset

    static let field = Schema.Field.optional(
        "zone",
        .string(atMost: 64).with("default", "UTC"),
        "The time zone: a name of the tz database such as Europe/Berlin, or an offset such as +02:00."
    )
}

extension SourceReading {
    /// The value of the sibling key `zone`, or UTC.
    fileprivate func zone() -> Zone? {
        guard let document = beside["zone"] else { return Zone(name: "UTC") { _ in 0 } }
        guard let name = reader.text(document, of: "zone") else { return nil }
        if let offset = reader.options.expressions.offset(of: name) {
            return Zone(name: name, offset: offset)
        }
        return reader.refuse(
            "the time zone '\(name)' is not known",
            at: document.position,
            hint:
                "a name of the tz database such as Europe/Berlin (package tzdata), or an offset such as +02:00"
        )
    }

    fileprivate func text() -> String? { reader.text(argument, of: row.name) }

    /// Reports an error in a family: the time is the same for all members.
    fileprivate func takesClock() -> Bool {
        guard reader.family != nil else { return true }
        reader.add(
            "a family cannot have '\(row.name)': it would be the same for all members",
            at: argument.position,
            hint: "make it a node of its own, and derive the members from that node"
        )
        return false
    }

    /// The result of `read`; an error is recorded at its place in `document`.
    fileprivate func cron(
        _ document: Document,
        _ read: () throws(CronError) -> CronSchedule
    ) -> CronSchedule? {
        do throws(CronError) {
            return try read()
        } catch {
            let place = document.scalar?.position(line: 1, column: error.offset + 1) ?? document.position
            return reader.refuse(error.message, at: place, hint: error.hint)
        }
    }

    /// Minutes after midnight of `22:00`.
    fileprivate func timeOfDay(_ document: Document) -> Int? {
        let parts = (document.scalar?.text ?? "").utf8.split(
            separator: UInt8(ascii: ":"),
            omittingEmptySubsequences: false
        )
        if parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            parts.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }), let hour = Int(String(parts[0]) ?? ""),
            let minute = Int(String(parts[1]) ?? ""), hour < 24, minute < 60
        {
            return hour * 60 + minute
        }
        return reader.refuse(
            "a time of day is written like \"22:00\", from \"00:00\" to \"23:59\"",
            at: document.position,
            hint: "midnight is \"00:00\""
        )
    }
}

extension StageMaker {
    /// The moments of a schedule, as text in local time of its zone.
    func schedule(_ argument: ScheduleArgument) -> Node<Datum> {
        let (schedule, offset) = (argument.schedule, argument.zone.offset)
        let moments = Schedule<Void>(
            next: { schedule.next(after: $0.wholeSeconds, offset).map { .seconds($0) } },
            last: { schedule.last(upTo: $0.wholeSeconds, offset).map { .seconds($0) } }
        )
        return clocked(moments) { moment in
            let seconds = moment.wholeSeconds
            return .text(CivilTime.text(of: seconds, offset: offset(seconds)))
        }
    }

    /// Whether the time is between two times of the day: the one that passed last decides.
    func between(_ argument: BetweenArgument) -> Node<Datum> {
        let (begins, ends, offset) = (argument.begins, argument.ends, argument.zone.offset)
        let periods = Between<Void>(
            contains: { now in
                guard let begun = begins.last(upTo: now.wholeSeconds, offset) else { return false }
                return ends.last(upTo: now.wholeSeconds, offset).map { $0 < begun } ?? true
            },
            next: { now in
                let changes = [begins, ends].compactMap { $0.next(after: now.wholeSeconds, offset) }
                return changes.min().map { .seconds($0) }
            }
        )
        return clocked(periods) { $0 ? .true : .false }
    }

    /// A node driven only by the clock: a timed operator on a node that never changes.
    private func clocked<Base: TimedOperator>(
        _ base: Base,
        _ datum: @escaping (Base.Output) -> Datum
    ) -> Node<Datum> where Base.Input == Void {
        let start = core.node(Datum.null)
        hide(start)
        let policy = StagePolicy<Base>(.count, .run, meter, give: { _ in .value(()) }) { .value(datum($0)) }
        return StageOperator(Policied(base: base, policy: policy), on: timers).derive(start)
    }
}

extension Duration {
    fileprivate var wholeSeconds: Int64 { components.seconds }
}
