internal import Support
package import Values

/// Operators in one table.
///
/// It drives the reading of definitions and pipelines, `GET /v1/operators` and the documentation.
/// Adding an operator needs a row here, besides the operator itself and its test.
public struct Catalogue: Sendable {
    public let all: [OperatorRow]
    /// The words of the sources that a client's pipeline may have, besides a single node.
    public let clientSources: [String]
    /// What a client can subscribe to: one or several nodes, or one of ``clientSources``.
    package let subscribable: FieldWords
    /// Keys that belong to a source, each with the words of the sources that it may accompany.
    package let keysBesideSources: [String: [String]]
    private let index: [String: Int]

    /// A catalogue of these rows, no two of which share a word.
    init(_ rows: [OperatorRow]) {
        all = rows
        var index: [String: Int] = [:]
        var clientSources: [String] = []
        var keysBesideSources: [String: [String]] = [:]
        for (place, row) in rows.enumerated() {
            index[row.name] = place
            if let alias = row.alias {
                index[alias] = place
            }
            guard case .source(let place, let type, _) = row.form else { continue }
            if case .anywhere = place { clientSources.append(row.name) }
            for field in type.beside { keysBesideSources[field.key, default: []].append(row.name) }
        }
        self.index = index
        self.clientSources = clientSources
        subscribable = FieldWords(["node", "nodes"] + clientSources)
        self.keysBesideSources = keysBesideSources
    }

    /// The operators that produce the values of a node.
    var sources: [OperatorRow] { all.filter(\.isSource) }

    public subscript(name: String) -> OperatorRow? {
        index[name].map { all[$0] }
    }

    /// Appends the answer of `GET /v1/operators`: `{"operators":[{"name",…}]}`.
    public func append(to bytes: inout [UInt8]) {
        var buffer = ByteBuffer()
        buffer.append("{")
        buffer.member("operators", objects: all) { row, buffer in
            buffer.member("name", row.name)
            buffer.member("alias", row.alias)
            buffer.member("arguments", row.arguments)
            buffer.member("class", row.classText)
            buffer.member("private", row.isPrivate)
            buffer.member("stage", row.isStage)
            buffer.member("onFail", row.onFail)
            buffer.member("summary", row.summary)
        }
        buffer.append("}")
        bytes.append(buffer.bytes)
    }
}
