internal import Support

/// All operators in one table.
///
/// It drives the reading of definitions and pipelines, `GET /v1/operators`, the JSON Schema and the documentation. Adding an
/// operator needs a row here, beside the operator itself and its test.
public enum Catalogue {
    /// Every operator: where values come from, what happens to them in a `pipe`, what ties nodes together.
    public static let all: [OperatorRow] = OperatorRow.sources + OperatorRow.stages + OperatorRow.sections

    private static let index: [String: Int] = {
        var index: [String: Int] = [:]
        for (place, row) in all.enumerated() {
            index[row.name] = place
            if let alias = row.alias {
                index[alias] = place
            }
        }
        return index
    }()

    /// The row of an operator by its name or alias.
    public static subscript(name: String) -> OperatorRow? {
        index[name].map { all[$0] }
    }

    /// The row of an operator this module names itself.
    static func row(named name: String) -> OperatorRow {
        guard let row = self[name] else { preconditionFailure("the catalogue has no row for \(name)") }
        return row
    }

    /// Appends the answer of `GET /v1/operators`: `{"operators":[{"name",…}]}`.
    public static func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"operators":["#.utf8)
        for (place, row) in all.enumerated() {
            bytes.append(contentsOf: (place == 0 ? "{" : ",{").utf8)
            field("name", row.name, to: &bytes)
            bytes.append(UInt8(ascii: ","))
            if let alias = row.alias {
                field("alias", alias, to: &bytes)
                bytes.append(UInt8(ascii: ","))
            }
            field("arguments", row.arguments, to: &bytes)
            bytes.append(UInt8(ascii: ","))
            field("class", row.classText, to: &bytes)
            bytes.append(contentsOf: ",\"private\":\(row.isPrivate),\"stage\":\(row.isStage),".utf8)
            bytes.append(contentsOf: "\"supported\":true,".utf8)
            field("onFail", row.onFail, to: &bytes)
            bytes.append(UInt8(ascii: ","))
            field("summary", row.summary, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(contentsOf: "]}".utf8)
    }

    private static func field(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(json: name)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(json: value)
    }
}
