internal import Support

/// Documents about the configuration for people and editors, made from the rows of ``Keys`` and
/// ``FixedLimit``.
enum ConfigurationDocuments {
    /// config/sluice.yaml: every key with its meaning.
    static var file: String {
        var lines = preface
        var group = ""
        for key in Keys.all {
            let parts = key.name.split(separator: ".").map(String.init)
            let indent = parts.count > 1 ? "  " : ""
            if parts.count == 1 || parts[0] != group { lines.append("") }
            group = parts.count > 1 ? parts[0] : ""
            if parts.count > 1, lines.last == "" { lines.append("\(group):") }
            lines += wrap(key.text, prefix: "\(indent)# ")
            lines.append("\(indent)\(parts[parts.count - 1]): \(quoted(key.shippedText))")
        }
        return lines.joined(separator: "\n")
    }

    private static let preface = [
        "# The configuration of a Sluice server: every key with its default; only those of 'dataDir' and 'sourceHosts' are empty.",
        "#",
        "# A key is also an environment variable (dataDir is SLUICE_DATA_DIR, limits.subs SLUICE_LIMITS_SUBS) and an option (--set",
        "# limits.subs=50). A list is then 'a,b' or '[a, b]'. Options override the environment, which overrides this file.",
        "# `sluice serve --print-config` shows the values in force and where each came from. Unknown keys are errors, unknown",
        "# variables that begin with SLUICE_ are warnings.",
        "#",
        "# Relative paths begin at the working directory.",
        "# Durations: 250ms, 5s, 2m, 1h, 7d, or milliseconds. Sizes: bytes, 64KiB, 1MiB.",
    ]

    /// A value as YAML: an empty one, and one that begins like something else, needs quotes.
    private static func quoted(_ text: String) -> String { text.isEmpty ? "''" : text }

    private static func wrap(_ text: String, prefix mark: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 120 {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(mark + word)
            }
        }
        return lines
    }

    static var schema: String {
        var members: [String] = []
        var done: Set<String> = []
        for key in Keys.all {
            let group = String(key.name.prefix { $0 != "." })
            guard group != key.name else {
                members.append("    " + member(key.name, key))
                continue
            }
            guard done.insert(group).inserted else { continue }
            let inner = Keys.all.filter { $0.name.hasPrefix(group + ".") }
                .map { "        " + member(String($0.name.dropFirst(group.count + 1)), $0) }
            members.append(
                """
                    "\(group)": {
                      "type": "object",
                      "additionalProperties": false,
                      "properties": {
                \(inner.joined(separator: ",\n"))
                      }
                    }
                """
            )
        }
        return """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "The configuration of a Sluice server",
              "type": "object",
              "additionalProperties": false,
              "properties": {
            \(members.joined(separator: ",\n"))
              },
              "$defs": {
                "duration": {
                  "oneOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{1,12}(ms|s|m|h|d)?$"}]
                },
                "mapping": {
                  "type": "object",
                  "additionalProperties": {"type": ["string", "array"], "items": {"type": "string"}}
                },
                "bytes": {
                  "oneOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[0-9]+(KiB|MiB)?$"}]
                }
              }
            }
            """
    }

    private static func member(_ name: String, _ key: any AnyKey) -> String {
        "\"\(name)\": {\"description\": \(String(json: key.text)), \(key.schema)}"
    }

    /// The keys as a table of docs/configuration.md.
    static var keys: String {
        table(Keys.all.map { ($0.name, $0.standardText, $0.text) })
    }

    /// The limits that are not configurable.
    static var fixed: String {
        table(FixedLimit.all.map { ($0.name, $0.show(FixedLimits()), $0.text) })
    }

    private static func table(_ rows: [(name: String, value: String, text: String)]) -> String {
        let lines = rows.map { row in
            "| `\(row.name)` | \(row.value.isEmpty ? "" : "`\(row.value)`") | \(Reference.cell(row.text)) |"
        }
        return (["| name | value | meaning |", "|---|---|---|"] + lines).joined(separator: "\n")
    }
}
