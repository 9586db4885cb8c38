/// What is wrong with the text of a schedule, and where.
public struct CronError: Error, Hashable {
    /// Characters before the place in the text.
    public let offset: Int
    /// A sentence without a full stop.
    public let message: String
    /// What to do about it, where that can be said.
    public let hint: String?
}

extension CronSchedule {
    /// Reads the five fields of `crontab`, such as `30 7 * * mon-fri`, or one of the words in
    /// ``words``.
    ///
    /// A field is `*`, or a list of numbers, names and ranges, each perhaps with a step: `*/15`,
    /// `8-18/2`, `1,15`. A range may go round: `22-5`, `sat-sun`. Sunday is 0 or 7.
    public init(_ text: String) throws(CronError) {
        let words = text.split { $0 == " " || $0 == "\t" }
        if text.hasPrefix("@") {
            guard let fields = Self.words.first(where: { $0.word == text })?.fields else {
                throw CronError(
                    offset: 0,
                    message: "'\(text)' is not known",
                    hint: "one of \(Self.words.map(\.word).joined(separator: ", "))"
                )
            }
            self = try CronSchedule(fields)
            return
        }
        guard words.count == 5 else {
            throw CronError(
                offset: 0,
                message:
                    "a schedule has five fields: minute, hour, day of the month, month and weekday, not \(words.count)",
                hint: words.count > 5
                    ? "there are no fields for seconds and years" : "every day at 22:00 is '0 22 * * *'"
            )
        }
        var sets: [Numbers] = []
        for (field, word) in zip(CronField.all, words) {
            let offset = text.distance(from: text.startIndex, to: word.startIndex)
            sets.append(try field.numbers(word, at: offset))
        }
        minutes = sets[0]
        hours = sets[1]
        days = sets[2]
        months = sets[3]
        weekdays = sets[4]
        guard isPossible else {
            throw CronError(
                offset: text.distance(from: text.startIndex, to: words[2].startIndex),
                message: "no such day comes in any year",
                hint: "the months chosen are shorter"
            )
        }
    }

    /// One time of each day, in minutes after midnight, on these weekdays, as the fifth field of
    /// cron.
    ///
    /// - Throws: ``CronError`` for weekdays that there are not.
    public init(minute: Int, weekdays: String = "*") throws(CronError) {
        minutes = Numbers(minute % 60...minute % 60)
        hours = Numbers(minute / 60...minute / 60)
        days = Numbers(1...31)
        months = Numbers(1...12)
        self.weekdays = try CronField.all[4].numbers(weekdays[...], at: 0)
    }

    /// Words for schedules that are needed often, and the fields they stand for.
    public static let words: [(word: String, fields: String)] = [
        ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"),
    ]
}

private struct CronField {
    let name: String
    let range: ClosedRange<Int>
    /// Words for the numbers from `firstName` on.
    var names: [String] = []
    var firstName = 0

    static let all = [
        CronField(name: "minute", range: 0...59),
        CronField(name: "hour", range: 0...23),
        CronField(name: "day of the month", range: 1...31),
        CronField(
            name: "month",
            range: 1...12,
            names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
            firstName: 1
        ),
        CronField(
            name: "weekday",
            range: 0...7,
            names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        ),
    ]

    private var allowed: String {
        let numbers = "\(range.lowerBound) to \(range.upperBound)"
        return names.isEmpty ? numbers : "\(numbers), or \(names[0]) to \(names[names.count - 1])"
    }

    func numbers(_ text: Substring, at offset: Int) throws(CronError) -> CronSchedule.Numbers {
        var numbers = CronSchedule.Numbers()
        var place = offset
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            try insert(part, at: place, into: &numbers)
            place += part.count + 1
        }
        // 7 is Sunday, too.
        guard range.upperBound == 7 else { return numbers }
        if numbers.contains(7) { numbers.insert(0) }
        numbers.bits &= 0x7F
        return numbers
    }

    /// `*`, `5`, `mon-fri`, any of them with `/2` after it.
    private func insert(
        _ part: Substring,
        at offset: Int,
        into numbers: inout CronSchedule.Numbers
    ) throws(CronError) {
        let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let ends = pieces[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        var (first, last) = (range.lowerBound, range.upperBound)
        if pieces[0] != "*" {
            first = try number(ends[0], at: offset)
            last = first
            if ends.count > 1 {
                last = try number(ends[1], at: offset + ends[0].count + 1)
            } else if pieces.count > 1 {
                last = range.upperBound
            }
        } else if range.upperBound == 7 {
            last = 6
        }
        var step = 1
        if pieces.count > 1 {
            guard let given = Int(pieces[1]), (1...range.upperBound).contains(given) else {
                throw CronError(
                    offset: offset + pieces[0].count + 1,
                    message: "the step of the \(name) must be 1 to \(range.upperBound), not '\(pieces[1])'",
                    hint: nil
                )
            }
            step = given
        }
        // A range that goes round: the numbers after the greatest are counted on from the least.
        let count = range.upperBound == 7 ? 7 : range.count
        for number in stride(from: first, through: last < first ? last + count : last, by: step) {
            numbers.insert(number > range.upperBound ? number - count : number)
        }
    }

    private func number(_ text: Substring, at offset: Int) throws(CronError) -> Int {
        if let place = names.firstIndex(of: text.lowercased()) { return firstName + place }
        let isNumber = !text.isEmpty && text.utf8.allSatisfy(ASCII.isDigit)
        if isNumber, let number = Int(text), range.contains(number) { return number }
        throw CronError(
            offset: offset,
            message: "the \(name) must be \(allowed), not '\(text)'",
            hint: "lists (1,15), ranges (8-18) and steps (*/5) are possible"
        )
    }
}
