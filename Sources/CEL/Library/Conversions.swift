/// Conversions between types: what does not fit or cannot be read is a failure.
enum Conversions {
    static let functions: [Function] = [
        Function("int", overloads(from: [.int, .uint, .double, .string, .timestamp], to: .int)) {
            arguments,
            meter throws(Failure) in
            switch arguments[0] {
            case .int: return arguments[0]
            case .uint(let number): return .int(try whole(number, "int"))
            case .double(let number): return .int(try whole(number, "int"))
            case .string(let text):
                try meter.spend(Price.object)
                return .int(try read(text, "an int"))
            case .timestamp(let moment): return .int(moment.seconds)
            default: throw arguments.mismatch
            }
        },
        Function("uint", overloads(from: [.int, .uint, .double, .string], to: .uint)) {
            arguments,
            meter throws(Failure) in
            switch arguments[0] {
            case .int(let number): return .uint(try whole(number, "uint"))
            case .uint: return arguments[0]
            case .double(let number): return .uint(try whole(number, "uint"))
            case .string(let text):
                try meter.spend(Price.object)
                return .uint(try read(text, "a uint"))
            default: throw arguments.mismatch
            }
        },
        Function("double", overloads(from: [.int, .uint, .double, .string], to: .double)) {
            arguments,
            meter throws(Failure) in
            if let number = arguments[0].number { return .double(number) }
            guard case .string(let text) = arguments[0] else { throw arguments.mismatch }
            // Many digits take several passes to read exactly.
            let length = text.utf8.count
            if length <= 1_024 { try meter.spend(Price.doubleText + length >> 1) }
            guard length <= 1_024, let number = NumberText.double(text) else {
                throw .badValue("the string is not a double")
            }
            return .double(number)
        },
        Function(
            "string",
            overloads(
                from: [.string, .bool, .int, .uint, .double, .bytes, .timestamp, .duration],
                to: .string
            )
        ) { arguments, meter throws(Failure) in
            switch arguments[0] {
            case .string: return arguments[0]
            case .bool(let flag): return .string(flag ? "true" : "false")
            case .int(let number):
                return .string(String(number))
            case .uint(let number):
                return .string(String(number))
            case .double(let number):
                try meter.spend(Price.doubleText)
                return .string(NumberText.text(number, strictly: meter.isStrict))
            case .bytes(let bytes):
                try meter.spend(bytes: bytes.count)
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw .badValue("the bytes are not valid UTF-8")
                }
                return .string(text)
            case .timestamp(let moment):
                try meter.spend(Price.timeText)
                return .string(moment.description)
            case .duration(let span):
                try meter.spend(Price.timeText)
                return .string(span.description)
            default: throw arguments.mismatch
            }
        },
        Function("bool", overloads(from: [.bool, .string], to: .bool)) { arguments, _ throws(Failure) in
            switch arguments[0] {
            case .bool: return arguments[0]
            case .string("1"), .string("t"), .string("true"), .string("TRUE"), .string("True"):
                return .bool(true)
            case .string("0"), .string("f"), .string("false"), .string("FALSE"), .string("False"):
                return .bool(false)
            case .string: throw .badValue("the string is not a bool")
            default: throw arguments.mismatch
            }
        },
        Function("bytes", overloads(from: [.bytes, .string], to: .bytes)) {
            arguments,
            meter throws(Failure) in
            if case .bytes = arguments[0] { return arguments[0] }
            let text = try arguments.string(0)
            try meter.spend(bytes: text.utf8.count)
            return .bytes(Array(text.utf8))
        },
        Function("timestamp", overloads(from: [.timestamp, .string, .int], to: .timestamp)) {
            arguments,
            meter throws(Failure) in
            switch arguments[0] {
            case .timestamp: return arguments[0]
            case .int(let seconds):
                return .timestamp(try Timestamp(seconds: seconds).orOverflow("timestamp"))
            case .string(let text):
                try meter.spend(TimeText.cost(ofReading: text))
                guard let moment = TimeText.timestamp(text) else {
                    throw .badValue("the string is not an RFC 3339 time")
                }
                return .timestamp(moment)
            default: throw arguments.mismatch
            }
        },
        Function("duration", overloads(from: [.duration, .string, .int], to: .duration)) {
            arguments,
            meter throws(Failure) in
            switch arguments[0] {
            case .duration: return arguments[0]
            case .int(let seconds): return .duration(try TimeSpan(seconds: seconds).orOverflow("duration"))
            case .string(let text):
                try meter.spend(TimeText.cost(ofReading: text))
                guard let span = TimeText.duration(text) else {
                    throw .badValue("the string is not a duration")
                }
                return .duration(span)
            default: throw arguments.mismatch
            }
        },
    ]

    private static func overloads(from sources: [TypePattern], to result: TypePattern) -> [Function.Overload]
    {
        sources.map { .global($0, gives: result) }
    }

    private static func whole<T: FixedWidthInteger>(
        _ number: some BinaryInteger,
        _ type: String
    ) throws(Failure) -> T {
        try T(exactly: number).orOverflow(type)
    }

    private static func whole<T: FixedWidthInteger>(_ number: Double, _ type: String) throws(Failure) -> T {
        guard number.isFinite else { throw .overflow("the result is out of the range of \(type)") }
        // The largest double below 2^63 is far from it: the published range is open at both ends.
        guard T.min == 0 ? number >= 0 : number > -0x1p63 else {
            throw .overflow("the result is out of the range of \(type)")
        }
        return try T(exactly: number.rounded(.towardZero)).orOverflow(type)
    }

    private static func read<T: FixedWidthInteger>(_ text: String, _ type: String) throws(Failure) -> T {
        guard text.utf8.count <= 64, let number = T(NumberText.trimmed(text)) else {
            throw .badValue("the string is not \(type)")
        }
        return number
    }
}
