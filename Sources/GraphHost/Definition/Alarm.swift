/// When a node calls for attention, and how urgently (docs/definitions.md, Alarms).
public struct Alarm {
    /// How urgent it is, the least urgent first.
    public enum Severity: String, CaseIterable, Sendable {
        case info, warning, alarm

        /// Its place among the others.
        var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    public let severity: Severity
    /// The value at which all is well; nil: everything but `true` is.
    public let ok: Datum?

    /// Whether the node calls for attention while it holds this value; nil: it is empty.
    func isRaised(by value: Datum?) -> Bool {
        guard let value else { return false }
        if value.isFail { return true }
        guard let ok else { return value == Datum.true }
        return value != ok
    }
}
