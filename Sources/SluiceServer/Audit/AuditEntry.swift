/// One line of the audit: what was done, by whom, to what, and the result.
struct AuditEntry: Sendable, Equatable {
    /// The name of the route or the `op`, or `request`.
    let action: String
    /// The name of the principal; nil without authentication, and for the server itself.
    var by: String?
    var address: String?
    /// What it was about, such as the graph and its rev.
    var subjects: [Field] = []
    /// The code of the error; nil: it was done.
    var error: String?
    /// How often a refusal was repeated since its line; 0 for a line of its own.
    var repeated = 0

    typealias Field = LogLine.Field

    /// Whether the client lacked a right.
    var isRefusal: Bool { error == "forbidden" }

    /// The fields of the line, in their order.
    var fields: [Field] {
        var fields = [Field("action", action)]
        if let by { fields.append(Field("by", by)) }
        if let address { fields.append(Field("address", address)) }
        fields += subjects
        fields.append(Field("result", error ?? "ok"))
        if repeated > 0 { fields.append(Field("repeated", repeated)) }
        return fields
    }
}
