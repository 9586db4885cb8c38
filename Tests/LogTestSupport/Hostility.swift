public import Commits
public import TestSupport

/// Makes content of valid form that no server would write: numbers at their ends, names and values
/// of other places, other definitions.
public struct Hostility {
    public var dice: SeededGenerator

    /// All that it makes follows from the seed.
    public init(seed: UInt64) { dice = SeededGenerator(seed: seed) }

    public mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[dice.below(elements.count)]
    }

    /// The last millisecond of the year 9999, since 1970.
    private static let lastTime: UInt64 = 253_402_300_799_999

    /// A number at an end of its range, or near a known one.
    public mutating func number(near known: UInt64 = 0) -> UInt64 {
        let ends: [UInt64] = [
            0, 1, 127, 128, 1 << 31, 1 << 32, 1 << 53 - 1, 1 << 53, Self.lastTime, Self.lastTime + 1,
            1 << 62, 1 << 63 - 1, 1 << 63, .max - 1, .max,
        ]
        let steps: [UInt64] = [1, 2, 1_000, 100_000, 86_400_000, 40_000_000_000]
        switch dice.below(3) {
        case 0: return pick(ends)
        case 1: return known &+ pick(steps)
        default: return known &- pick(steps)
        }
    }

    // MARK: - Definitions

    /// Graphs with everything that has state or depends on time.
    public static let definitions = [
        #"""
        {"nodes":{"x":{"set":"any","initial":1,"history":5},"n":{"set":"number","initial":0,"ttl":"3s","fresh":"2s"},
        "w":{"from":"n","retain":"always","history":4,"pipe":[{"window":{"last":"1s","of":"avg"}}]},
        "late":{"from":"n","retain":"always","pipe":[{"delay":300}]},"calm":{"from":"x","retain":"always","pipe":[{"debounce":200}]},
        "some":{"from":"x","retain":"always","pipe":[{"sample":400}]},
        "sum":{"from":"n","retain":"always","pipe":[{"scan":{"start":0,"with":"acc + value"}}]},
        "top":{"from":"n","retain":"always","history":3,"pipe":[{"window":{"count":3,"of":"max"}},"distinct"]},
        "night":{"between":["22:00","06:00"],"retain":"always"},"often":{"schedule":"*/5 * * * *","retain":"always"},
        "age":{"from":"x","pipe":[{"map":"string(time)"}]}}}
        """#,
        #"""
        {"nodes":{"s.{id}":{"set":"number","expire":"10s","history":3},"n":{"set":"any","initial":2,"history":9},"x":{"set":"any"},
        "mean.{id}":{"from":"s.{id}","retain":"always","pipe":[{"window":{"count":3,"of":"avg"}}]},
        "hall":{"from":"mean.hall","retain":"always","pipe":[{"scan":{"start":0.0,"with":"acc + value"}}]},
        "all":{"all":"s.*","reduce":"sum","retain":"always","history":4},"double":{"from":"n","pipe":[{"map":"value"}]}}}
        """#,
        #"""
        {"mode":"settled","nodes":{"x":{"set":"any","initial":1},"n":{"set":"any","initial":2,"history":3},"y":{"set":"any"},
        "by":{"switch":{"from":"x","by":"string(value)"}},"one":{"case":{"of":"by","key":"1"},"retain":"always"},
        "rest":{"default":{"of":"by"},"retain":"always"},"pair":{"zip":["x","n"],"retain":"always"},
        "both":{"combine":["x","n"],"history":4,"retain":"always"},"any":{"merge":["x","n"],"retain":"always","pipe":[{"delay":50}]},
        "flat":{"flatten":{"from":"x","to":{"1":"n"},"otherwise":"y"},"retain":"always"}},
        "sync":[{"a":"x","b":"y"}],"links":[{"from":"n","to":"flat"}]}
        """#,
        #"{"mode":"immediate","nodes":{"x":{"set":"any","initial":0},"n":{"set":"number"},"d":{"from":"x","pipe":["delta",{"skip":1},{"take":3}]}}}"#,
        #"{"nodes":{}}"#,
    ]

    /// A definition, now and then with numbers at their ends, or an invalid one.
    public mutating func definition() -> String {
        if dice.chance(1, in: 8) {
            return pick([
                "", "{}", "null", "[]", #"{"nodes":7}"#, #"{"graph":"other","nodes":{}}"#, "{\"nodes\":{",
            ])
        }
        let text = pick(Self.definitions)
        return dice.chance(1, in: 2) ? text : withOtherNumber(text)
    }

    private mutating func withOtherNumber(_ text: String) -> String {
        var bytes = Array(text.utf8)
        let starts = bytes.indices.filter { place in
            (0x30...0x39).contains(bytes[place]) && (place == 0 || !(0x30...0x39).contains(bytes[place - 1]))
        }
        guard !starts.isEmpty else { return text }
        let start = pick(starts)
        let end = bytes[start...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: "\(number())".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - Entries

    private static let names = [
        "x", "n", "y", "w", "sum", "flat", "s.a", "s.hall", "s.{id}", "mean.a", "s.", "", "none", "s.*",
        String(repeating: "s.", count: 200), "s.\u{0}", "s.é",
    ]

    public mutating func name() -> String { pick(Self.names) }

    /// A value as JSON, now and then an invalid one.
    public mutating func value() -> [UInt8] {
        let texts = [
            "1", "2.5", "-0", "null", "true", #""text""#, "{}", #"{"a":[1,{"b":null}]}"#, "1e308", "1e400",
            "9223372036854775807", "18446744073709551616", "-1e-400", #""\ud800""#, "", " ", "}", "{\"a\":",
            String(repeating: "[", count: 300) + String(repeating: "]", count: 300), "\u{0}", "NaN",
        ]
        return Array(pick(texts).utf8)
    }

    private mutating func report() -> FacetChange {
        pick([
            .loading(progress: nil), .loading(progress: .nan), .loading(progress: -1),
            .loading(progress: .infinity), .failed(code: "", message: ""),
            .failed(code: String(repeating: "c", count: 5_000), message: "\u{0}"), .notModified, .cancelled,
            .invalidated,
        ])
    }

    /// Changes one thing about an entry; `time` is about when it was made.
    public mutating func change(_ entry: inout LogEntry, near time: UInt64) {
        switch dice.below(14) {
        case 0, 1, 2: entry.kind = .tick(now: number(near: time))
        case 3: entry.kind = .define(text: definition(), pick([.file, .client]))
        case 4, 5: entry.kind = .redefine(text: definition(), pick([.file, .client]))
        case 6: entry.kind = pick([.remove, .values, .drop, .expire])
        case 7: entry.set.append(LogEntry.Assignment(name(), value()))
        case 8: if !entry.set.isEmpty { entry.set[dice.below(entry.set.count)].value = value() }
        case 9: if !entry.set.isEmpty { entry.set[dice.below(entry.set.count)].node = name() }
        case 10: entry.clear.append(name())
        case 11: entry.reports.append(LogEntry.Report(name(), report()))
        case 12:
            entry.claimed.append(name())
            entry.claimer = pick(["", "word1", "gone"])
        default:
            entry.by = pick([nil, "", "ann", String(repeating: "b", count: 1_000)])
            entry.context = pick([nil, value()])
            entry.path = pick([[], ["s/g/x", "\u{0}"]])
            entry.isOfLink = dice.chance(1, in: 4)
            if entry.isOfLink { entry.birth = UInt64(dice.below(1000)) }
            entry.key = LogEntry.Key(pick(["", "k1", "k\u{0}"]), digest: UInt128(number()))
        }
    }

    // MARK: - Bytes

    /// Changes something anywhere in bytes, such as a number, which ends with the first byte below
    /// 128.
    public mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes = [UInt8(truncatingIfNeeded: dice.next())] }
        let place = dice.below(bytes.count)
        switch dice.below(7) {
        case 0: bytes[place] ^= 1 << UInt8(dice.below(8))
        case 1: bytes[place] = pick([0, 1, 2, 0x7F, 0x80, 0xFF])
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + dice.below(8)))
        case 3: bytes.insert(contentsOf: bytes[place...].prefix(1 + dice.below(40)), at: place)
        case 4 where dice.chance(1, in: 3): bytes.removeSubrange(place...)
        default:
            let end = (bytes[place...].firstIndex { $0 < 0x80 } ?? bytes.count - 1) + 1
            var number: [UInt8] = []
            number.append(varint: self.number())
            bytes.replaceSubrange(place..<end, with: number)
        }
    }
}
