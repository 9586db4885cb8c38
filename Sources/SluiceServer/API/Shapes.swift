internal import Graphs
internal import HTTP
internal import Support
internal import Values

// What the bodies of several routes have in common.
extension Schema {
    /// Only `true`: an `enum`, since generators of clients take a `const` for the name of a type.
    static let yes = boolean.with("enum", [true])
    static let names = list(of: .string)
    static let objects = list(of: .anyObject)

    /// What kind of thing made a value.
    static let origin = string.and(.oneOf(words: Cause.Origin.allCases.map { "\($0)" }))

    /// The place of an answer in the history of its graph.
    static let cursor: [Field] = [
        .required("epoch", .string(atMost: 32)), .required("rev", .count(0)),
    ]
    static let optionalCursor: [Field] = [
        .optional("epoch", .string(atMost: 32)), .optional("rev", .count(0)),
    ]

    /// What a node holds: one of these.
    static let held: [Field] = [
        .optional("v", .any),
        .optional("empty", .yes),
        .optional("fail", .object(requiring: ["code", "at", "msg"])),
    ]

    /// An upstream that is open (S-10).
    static let upstream: [Field] = [
        .required("u", .string, "Its name, which no other one has while the server runs"),
        .required("from", .string, "Scheme, host and port"),
        .required("state", .word(Upstream.State.self)),
        .optional("dueIn", .integer, "Milliseconds until it is asked again"),
        .optional("failure", .string, "Why the last request gave no value"),
        .optional("status", .integer, "The status of its answer, if that was the reason"),
        .optional("retryAt", .integer, "Milliseconds since 1970 of the next try"),
        .optional("retryIn", .integer, "Milliseconds until the next try"),
    ]

    static let fileProblem = part(
        "FileProblem",
        .object([
            .optional("file", .string), .optional("line", .integer), .optional("column", .integer),
            .optional("code", .string), .optional("pointer", .string),
            .required("message", .string),
            .optional("hint", .string),
        ])
    )

    /// What the server answers with if a request fails.
    static let problem = part(
        "Problem",
        .object([
            .required("type", .string),
            .required("title", .string),
            .required("status", .integer),
            .required("detail", .string),
            .required(
                "code",
                .string.with(
                    "enum",
                    .texts(ErrorTable.rows.filter { $0.status != nil }.map(\.code))
                )
            ),
            .required("retry", .boolean),
        ])
    )
}
