internal import Support

/// Which build of Sluice this is, and which formats of stored data it reads and writes.
public enum Build {
    /// The commit it was built from, with `-dirty` if files were changed; nil: it was built from
    /// files without git's data.
    static let commit: String? = {
        let text = builtCommit()
        return text.isEmpty ? nil : text
    }()

    /// A line for people.
    public static var line: String {
        let formats = LogEngine.all.map { "\($0.title) format \($0.format)" }.joined(separator: ", ")
        let commit = commit.map { "commit \($0)" } ?? "commit unknown"
        return "sluice \(Version.text) (\(commit); stores \(formats))"
    }

    /// A JSON object, without a line break at its end.
    public static var json: String {
        var out = ByteBuffer()
        out.append("{")
        out.member("name", "sluice")
        out.member("version", Version.text)
        out.member("commit", commit)
        out.member("protocol", "sluice.v1.json")
        out.append(",\"formats\":{")
        out.append(separated: LogEngine.all) { engine, out in
            out.append(json: engine.name)
            out.append(":")
            out.append(decimal: engine.format)
        }
        out.append("}}")
        return String(decoding: out.bytes, as: UTF8.self)
    }
}
