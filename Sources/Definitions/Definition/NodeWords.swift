internal import Support
internal import Values

/// What people call the values of a node: `words: { true: open, false: closed }`.
public struct NodeWords: Sendable {
    private static let most = 64
    private static let longestWord = 64
    private static let longestValue = 256

    /// Values as JSON text and their words, in the order of the definition.
    package let all: [(value: String, word: String)]

    static let schema = Schema.part("words", .map(of: .text))

    /// Reads the mapping; nil after recording what is wrong.
    init?(_ document: Document, from reader: DocumentReader, _ what: String) {
        let before = reader.problems.count
        guard let members = reader.members(document, of: what) else { return nil }
        if members.isEmpty || members.count > Self.most {
            reader.add("\(what) must have 1 to \(Self.most) words", at: document.position)
        }
        var all: [(value: String, word: String)] = []
        for (key, entry) in members {
            let word = reader.text(entry.value, of: "the word for \(key.prefix(Self.longestValue))") ?? ""
            let place = entry.value.position
            guard let value = Self.value(key) else {
                reader.add(
                    "\(what): a value is true, false, null, a number or a text of at most \(Self.longestValue) bytes",
                    at: entry.key.position
                )
                continue
            }
            if all.contains(where: { $0.value == value }) {
                reader.add("\(what) has two words for \(value)", at: entry.key.position)
            }
            if word.isEmpty || word.count > Self.longestWord {
                reader.add("a word has 1 to \(Self.longestWord) characters", at: place)
            }
            all.append((value, word))
        }
        guard reader.problems.count == before else { return nil }
        self.all = all
    }

    /// A key as the JSON text of its value: any other key is a text.
    private static func value(_ key: String) -> String? {
        guard key.utf8.count <= longestValue else { return nil }
        guard let datum = try? Datum.parse(key) else { return String(json: key) }
        return [.array, .object].contains(datum.kind) ? nil : datum.canonicalText
    }
}

/// The icons that a node can have: the symbols in the page's sheet (`public/icons.svg`).
package enum NodeIcon: String, CaseIterable, Sendable {
    case alarm, bath, battery, bed, bell, blinds, bolt, bulb, calendar, camera, car, charger, chart, clock,
        cloud, cpu, door, drop, fan, flame, fridge, garage, gauge, heater, house, key, lamp, leaf, lock,
        moon, motion, music, oven, person, plug, power, pump, rain, server, shield, siren, smoke, snow, sofa,
        solar, speaker, sun, `switch`, tank, tap, target, thermometer, tv, unlock, valve, washer, wifi, wind,
        window, wrench

    /// Another name is a warning, and no mistake.
    static let schema = Schema.part("icon", .anyOf([.word(NodeIcon.self), .text]))
}
