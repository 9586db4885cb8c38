/// The standard library but for conversions and times: sizes, searching, types.
enum Standard {
    static let functions: [Function] = [
        Function(
            "size",
            [.string, .bytes, .list(.a), .map(.a, .b)].flatMap { (pattern: TypePattern) in
                [.global(pattern, gives: .int), .method(pattern, gives: .int)]
            }
        ) { arguments, meter throws(Failure) in
            switch arguments[0] {
            case .string(let text):
                try meter.spend(bytes: text.utf8.count)
                return .int(Int64(text.codePointCount))
            case .bytes(let bytes): return .int(Int64(bytes.count))
            case .list(let list): return .int(Int64(list.count))
            case .map(let map): return .int(Int64(map.count))
            default: throw arguments.mismatch
            }
        },
        Function("contains", [.method(.string, .string, gives: .bool)]) { arguments, meter throws(Failure) in
            let (text, part) = try (arguments.string(0), arguments.string(1))
            return .bool(try TextSearch.firstOffset(of: part, in: text, meter: &meter) != nil)
        },
        Function("startsWith", [.method(.string, .string, gives: .bool)]) {
            arguments,
            meter throws(Failure) in
            let (text, part) = try (arguments.string(0), arguments.string(1))
            try meter.spend(bytes: part.utf8.count)
            return .bool(text.withBytes { text in part.withBytes { text.holds($0, at: 0) } })
        },
        Function("endsWith", [.method(.string, .string, gives: .bool)]) { arguments, meter throws(Failure) in
            let (text, part) = try (arguments.string(0), arguments.string(1))
            try meter.spend(bytes: part.utf8.count)
            return .bool(
                text.withBytes { text in part.withBytes { text.holds($0, at: text.count - $0.count) } }
            )
        },
        Function(
            "matches",
            [.method(.string, .string, gives: .bool), .global(.string, .string, gives: .bool)]
        ) { arguments, meter throws(Failure) in
            let (text, pattern) = try (arguments.string(0), arguments.string(1))
            return .bool(try meter.matcher(for: pattern).search(text, &meter))
        },
        Function("type", [.global(.a, gives: .type)]) { arguments, _ throws(Failure) in
            .type(arguments[0].typeName)
        },
        Function("dyn", [.global(.a, gives: .dyn)]) { arguments, _ throws(Failure) in
            arguments[0]
        },
    ]
}
