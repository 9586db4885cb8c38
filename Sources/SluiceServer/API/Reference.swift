internal import Definitions
internal import HTTP
internal import Support

/// The tables of the documentation, written from the tables the server works by.
public enum Reference {
    /// A page section that is generated.
    public enum Section: String, CaseIterable, Sendable {
        case operators, nodes, errors, keys, fixed, routes, rights
        /// The shipped file and the schema of such files.
        case configuration, schema
    }

    /// The section as Markdown, or the file.
    public static func markdown(_ section: Section) -> String {
        switch section {
        case .operators: operators
        case .nodes: NodeDefinition.keyTable
        case .errors: errors
        case .routes: routes
        case .rights: rights
        case .keys: ConfigurationDocuments.keys
        case .fixed: ConfigurationDocuments.fixed
        case .configuration: ConfigurationDocuments.file
        case .schema: ConfigurationDocuments.schema
        }
    }

    private static var operators: String {
        var lines = [
            "| operator | takes | gives | depends on | on a failed input |", "|---|---|---|---|---|",
        ]
        for row in Catalogue.standard.all {
            let name = row.alias.map { "`\(row.name)`, `\($0)`" } ?? "`\(row.name)`"
            let dependsOn =
                switch row.stateClass {
                case .none where !row.isSource && !row.isStage: row.classText
                case .none: "its inputs now"
                case .history: "earlier values"
                case .timed: "the clock"
                }
            lines.append(
                "| \(name) | \(cell(row.arguments)) | \(cell(row.summary)) | \(dependsOn) | \(row.onFail) |"
            )
        }
        return lines.joined(separator: "\n")
    }

    private static var routes: String {
        var lines = ["| method | path | right | answers |", "|---|---|---|---|"]
        for row in Operation.all where !row.isDiagnostic {
            let side = row.side == .operations ? "; operations side" : ""
            lines.append(
                "| \(row.method.name) | `\(OpenAPI.shown(row.path))` | \(row.need.text)\(side) | \(cell(row.summary)) |"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// What each route needs.
    private static var rights: String {
        var lines = ["| method | path | right | over |", "|---|---|---|---|"]
        for row in Operation.all where !row.isDiagnostic {
            let place = "| \(row.method.name) | `\(OpenAPI.shown(row.path))`"
            lines.append("\(place) | \(row.need.text) | \(row.need.extentText) |")
        }
        return lines.joined(separator: "\n")
    }

    private static var errors: String {
        var lines = ["| code | HTTP | closes with | try again | means |", "|---|---|---|---|---|"]
        for row in ErrorTable.rows {
            let status = row.status.map { "\($0.rawValue)" } ?? "–"
            let close = row.close.map { "\($0.rawValue)" } ?? "–"
            let again = row.retry ? (row.sendsRetryAfter ? "after `Retry-After`" : "yes") : "no"
            lines.append(
                "| `\(row.code)` | \(status) | \(close) | \(again) | \(cell(row.sentence)) |"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// Text that ends no table cell.
    static func cell(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
