internal import Definitions
internal import HTTP
internal import Values

extension BackupRoutes: Routes {
    private static let copies = LogEngine.all.compactMap(\.copy)

    static let rows: [Operation] = [
        Operation(
            method: .get,
            path: "/v1/backup",
            side: .operations,
            need: Need(.admin, over: .everything),
            handler: sendBackup,
            audited: .change,
            name: "backup",
            summary: "A copy of all stored data at one moment, for `sluice restore`",
            successes: [
                answer(
                    "The copy, \(copies.map(\.title).joined(separator: " or "))",
                    .string.with("format", "binary"),
                    as: copies.map(\.type)
                )
            ],
            errors: [.notFound, "no_space", "engine_down"]
        )
    ]
}
