import CEL
import TestSupport

/// Makes random JSON texts together with what they mean.
struct RandomJSON {
    var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// A value of doubles, strings, lists and maps nesting at most `depth` deep.
    mutating func tree(_ depth: Int) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2, 3: return .double(double())
        case 4: return .string(string())
        case 5: return .list(ValueList(elements(depth)))
        default:
            var builder = ValueMap.Builder()
            for value in elements(depth) {
                _ = builder.append(string(), value)
            }
            return .map(builder.finish())
        }
    }

    private mutating func elements(_ depth: Int) -> [Value] {
        let count = Int.random(in: 0...(Int.random(in: 0..<20, using: &random) == 0 ? 40 : 4), using: &random)
        return (0..<count).map { _ in tree(depth - 1) }
    }

    mutating func double() -> Double {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return Double(Int.random(in: -1_000...1_000, using: &random))
        case 1: return Double(Int.random(in: -100_000...100_000, using: &random)) / 100
        case 2: return Double(Int64.random(in: .min ... .max, using: &random))
        case 3: return Double.random(in: -1...1, using: &random)
        default:
            let number = Double(bitPattern: random.next())
            return number.isFinite ? number : 0
        }
    }

    mutating func string() -> String {
        let alphabet: [String] = [
            "a", "b", "c", "é", "e\u{301}", "€", "😀", "\"", "\\", "/", "\n", "\u{0}", "\u{1f}", "\u{7f}", " ",
            "\u{2028}",
            "key", "indoor", "\t", "\u{ffff}", "{", "]", ",", ":",
        ]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in
            alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }.joined()
    }

    /// The text of a tree with random white space, spellings of numbers, escapes and order of keys.
    mutating func text(_ value: Value) -> String {
        space() + bare(value) + space()
    }

    private mutating func bare(_ value: Value) -> String {
        switch value {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .double(let number): return spelling(of: number)
        case .string(let text): return quoted(text)
        case .list(let list):
            return "[" + (list.elements.map { text($0) }.joined(separator: ",")) + space() + "]"
        case .map(let map):
            let members = map.shuffled(using: &random).map { entry in
                if case .string(let key) = entry.key {
                    return space() + quoted(key) + space() + ":" + text(entry.value)
                }
                return ""
            }
            return "{" + members.joined(separator: ",") + space() + "}"
        default: return "null"
        }
    }

    private mutating func space() -> String {
        ["", "", "", " ", "\n", "\t ", "\r\n"][Int.random(in: 0..<7, using: &random)]
    }

    /// A number written in one of many ways that say exactly its shortest decimal.
    private mutating func spelling(of number: Double) -> String {
        var text = number.description
        if text.hasSuffix(".0") {
            text.removeLast(2)
        }
        guard !text.contains("e") else {
            return Bool.random(using: &random) ? text : text.uppercased()
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return text.contains(".") ? text + "00" : text + ".0"
        case 1: return text + "e0"
        case 2:
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return number == 0 ? text + "e-1" : text + "0e-1" }
            return text + "E+00"
        default: return text
        }
    }

    private mutating func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            guard mustEscape || Int.random(in: 0..<8, using: &random) == 0 else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let hex = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }
        }
        return result + "\""
    }
}

/// Whether two trees of JSON are the same; numbers bit for bit, keys in any order.
func isSameTree(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.bool(let x), .bool(let y)): return x == y
    case (.double(let x), .double(let y)): return x.bitPattern == y.bitPattern
    case (.int(let x), .int(let y)): return x == y
    case (.uint(let x), .uint(let y)): return x == y
    case (.string(let x), .string(let y)): return Array(x.utf8) == Array(y.utf8)
    case (.list(let x), .list(let y)):
        return x.count == y.count && zip(x.elements, y.elements).allSatisfy(isSameTree)
    case (.map(let x), .map(let y)):
        return x.count == y.count
            && x.allSatisfy { entry in
                guard case .string(let key) = entry.key, let other = y[key] else { return false }
                return isSameTree(entry.value, other)
            }
    default: return false
    }
}
