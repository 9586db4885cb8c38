public import Values

/// When a node calls for attention, and how urgently (docs/definitions.md, Alarms).
public struct Alarm {
    /// How urgent it is, from the least urgent.
    public enum Severity: String, CaseIterable, Sendable {
        case info, warning, alarm

        /// The position among the severities; higher is more urgent.
        package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    public let severity: Severity
    /// The value at which all is well; nil: every value except `true`.
    public let ok: Datum?

    /// Whether the node calls for attention with this value; nil: it is empty.
    package func isRaised(by value: Datum?) -> Bool {
        guard let value else { return false }
        if value.isFail { return true }
        guard let ok else { return value == Datum.true }
        return value != ok
    }
}
