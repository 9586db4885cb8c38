internal import Definitions
internal import HTTP
internal import Values

extension BackupRoutes: Routes {
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
                    "The copy, a SQLite database",
                    .string.with("format", "binary"),
                    as: ["application/vnd.sqlite3"]
                )
            ],
            errors: [.notFound, "no_space", "engine_down"]
        )
    ]
}
