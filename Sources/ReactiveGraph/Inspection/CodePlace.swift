/// Where in a program something stands (G-163).
public struct CodePlace: Hashable, Sendable, CustomStringConvertible {
    /// Module and file, as `#fileID` gives them: `App/Gauge.swift`.
    public let file: String
    /// The line, from 1.
    public let line: Int

    /// File and line, such as `App/Gauge.swift:12`.
    public var description: String { "\(file):\(line)" }
}

// An edge to a listener has no use for a name of its kind nor for a place among the rings: there it
// keeps, without a byte more, where it was attached.
extension Edge {
    func attached(atFile file: String, line: Int) {
        name = file
        ringIndex = Int32(clamping: line)
    }

    /// Where the listen was attached, if that is known.
    var place: CodePlace? {
        guard target == nil, traits.contains(.listener), ringIndex > 0 else { return nil }
        return CodePlace(file: name, line: Int(ringIndex))
    }
}
