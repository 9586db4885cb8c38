internal import CEL
package import Commits
internal import Support
package import Values

/// What a node emitted within one step of time, as far as it is kept.
package struct HistoryStep {
    /// When it begins, in milliseconds since 1970.
    package let start: UInt64
    /// How many emissions it has.
    package private(set) var count: UInt64 = 0
    /// Of the numbers among them; nil: there are none.
    package private(set) var figures: StepFigures?
    /// The last emission; nil: empty.
    package private(set) var last: Datum?

    init(start: UInt64) { self.start = start }

    init(start: UInt64, count: UInt64, _ figures: StepFigures?, last: Datum?) {
        (self.start, self.count, self.figures, self.last) = (start, count, figures, last)
    }

    mutating func add(_ value: Datum?) {
        count += 1
        last = value
        guard let number = value?.number else { return }
        let new = StepFigures(number)
        if figures?.add(new) == nil { figures = new }
    }
}

/// A step as it is stored.
package struct PackedStep {
    package let start: UInt64
    package private(set) var count: UInt64
    package private(set) var figures: StepFigures?
    /// The last emission as a member of a JSON object: `"v":…`, `"empty":true` or `"fail":{…}`.
    package private(set) var last: [UInt8]

    /// Adds a later step to it.
    package mutating func add(_ later: PackedStep) {
        count += later.count
        last = later.last
        guard let more = later.figures else { return }
        if figures?.add(more) == nil { figures = more }
    }
}

/// What the byte before a packed step's figures says.
private struct StepFlags: OptionSet {
    let rawValue: UInt8

    /// The last emission is not empty.
    static let hasLast = StepFlags(rawValue: 1)
    static let hasFigures = StepFlags(rawValue: 2)
    /// All emissions are numbers, so that their count is not repeated.
    static let isAllNumbers = StepFlags(rawValue: 4)
    /// All numbers are equal to the last value, so that they are not repeated.
    static let isLevel = StepFlags(rawValue: 8)
}

extension [UInt8] {
    /// Appends a step: its distance from the one before (in steps), its count, its flags, its
    /// figures and its last emission.
    mutating func append(_ step: HistoryStep, after former: UInt64, every: UInt64) {
        append(varint: (step.start - former) / every)
        append(varint: step.count)
        var flags: StepFlags = step.last == nil ? [] : .hasLast
        if let figures = step.figures {
            flags.insert(.hasFigures)
            if figures.count == step.count { flags.insert(.isAllNumbers) }
            if figures.min == figures.max, step.last?.number == figures.min { flags.insert(.isLevel) }
        }
        append(flags.rawValue)
        if let figures = step.figures {
            if !flags.contains(.isAllNumbers) { append(varint: figures.count) }
            if !flags.contains(.isLevel) {
                append(counted: figures.min.text)
                append(counted: figures.max.text)
                append(littleEndian: figures.mean.bitPattern)
            }
        }
        step.last?.withFragment { bytes in
            append(varint: UInt64(bytes.count))
            append(contentsOf: bytes)
        }
    }

    private mutating func append(counted text: String) {
        append(varint: UInt64(text.utf8.count))
        append(contentsOf: text.utf8)
    }
}

extension HistoryChunk {
    /// Calls `visit` with its steps, oldest first.
    ///
    /// - Throws: `LogBytesError` if the bytes are not a chunk.
    package func forEachStep(_ visit: (PackedStep) -> Void) throws(LogBytesError) {
        guard every > 0 else { throw LogBytesError() }
        let steps = try bytes.withBorrowedBytes { bytes throws(LogBytesError) in
            var (steps, start) = ([PackedStep](), start)
            var reader = LogBytesReader(bytes)
            while !reader.isAtEnd {
                let (distance, isTooLarge) = try reader.varint().multipliedReportingOverflow(by: every)
                guard !isTooLarge else { throw LogBytesError() }
                start &+= distance
                guard LogStamp.times.contains(start) else { throw LogBytesError() }
                steps.append(try PackedStep(at: start, from: &reader))
            }
            return steps
        }
        steps.forEach(visit)
    }
}

extension PackedStep {
    fileprivate init(at start: UInt64, from reader: inout LogBytesReader) throws(LogBytesError) {
        self.start = start
        count = try reader.varint()
        let flags = StepFlags(rawValue: try reader.byte())
        var (numbers, bounds) = (UInt64(0), (min: Number, max: Number, mean: Double)?.none)
        if flags.contains(.hasFigures) {
            numbers = flags.contains(.isAllNumbers) ? count : try reader.varint()
            if !flags.contains(.isLevel) {
                let (min, max) = (Number(digits: try reader.counted()), Number(digits: try reader.counted()))
                var bits: UInt64 = 0
                for place in 0..<UInt64(8) { bits |= UInt64(try reader.byte()) << (8 * place) }
                bounds = (min, max, Double(bitPattern: bits))
            }
        }
        last = flags.contains(.hasLast) ? try reader.counted() : Array("\"empty\":true".utf8)
        if flags.contains([.hasFigures, .isLevel]) {
            let number = Number(digits: last.dropFirst(Datum.valuePrefix.utf8CodeUnitCount))
            bounds = (number, number, number.double)
        }
        figures = bounds.map { bounds in
            StepFigures(
                count: numbers,
                min: bounds.min,
                max: bounds.max,
                sum: bounds.mean * Double(numbers)
            )
        }
    }
}

extension Number {
    fileprivate init(digits: some Collection<UInt8>) {
        self = Array(digits).withBorrowedBytes { text in
            // Damaged bytes are no number, which JSON does not show.
            (try? JSONReader(checking: text)).map {
                $0.kind == .number ? Number(text: $0.bytes) : Number(.nan)
            }
                ?? Number(.nan)
        }
    }
}
