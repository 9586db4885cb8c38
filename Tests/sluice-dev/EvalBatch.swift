internal import CEL
internal import CommandSupport
internal import Definitions
internal import Support
internal import Values

/// Many expressions at once, one line of JSON each, with typed values in and out.
struct EvalBatch {
    let options: Options

    /// The answer to one line `{"id","expr","container"?,"bindings"?,"check"?}`: `{"id","value"}`
    /// or `{"id","error"}`.
    func answer(_ line: String) -> String {
        var text: [UInt8] = []
        do {
            let request = try EvalBatch.tree(of: line)
            text += "{\"id\":".utf8
            try JSONWriter.append(request["id"] ?? .null, to: &text)
            try appendOutcome(of: request, to: &text)
        } catch {
            text = Array("{\"id\":null".utf8)
            appendError("bad_request", "\(error)", at: 0, to: &text)
        }
        return String(decoding: text, as: UTF8.self) + "}"
    }

    private static func tree(of line: String) throws -> ValueMap {
        let bytes = Array(line.utf8)
        let tree: Value
        do {
            tree = try bytes.withBorrowedBytes { try JSONTree.parse($0) }
        } catch let error as JSONError {
            throw TypedValue.Malformed(description: error.message)
        }
        guard case .map(let request) = tree else {
            throw TypedValue.Malformed(description: "a line is an object with 'id' and 'expr'")
        }
        return request
    }

    private func appendOutcome(of request: ValueMap, to text: inout [UInt8]) throws {
        guard case .string(let source)? = request["expr"] else {
            throw TypedValue.Malformed(description: "'expr' must be a string")
        }
        var options = self.options
        if case .string(let container)? = request["container"] {
            options.container = container
        }
        if case .bool(let checks)? = request["check"] {
            options.checksTypes = checks
        }
        var bindings: [(name: String, value: Value)] = []
        if case .map(let given)? = request["bindings"] {
            for entry in given {
                guard case .string(let name) = entry.key else { continue }
                bindings.append((name, try TypedValue.value(entry.value)))
            }
        }
        switch Evaluation.run(source, bindings, options) {
        case .value(let value):
            text += ",\"value\":".utf8
            TypedValue.append(value, to: &text)
        case .problems(let problems):
            appendError(problems[0].code.rawValue, problems[0].message, at: problems[0].offset, to: &text)
        case .failure(let error):
            appendError(error.code.rawValue, error.message, at: error.offset, to: &text)
        }
    }

    private func appendError(_ code: String, _ message: String, at offset: Int, to text: inout [UInt8]) {
        let message = String(json: message)
        text += ",\"error\":{\"code\":\"\(code)\",\"msg\":\(message),\"at\":\(offset)}".utf8
    }
}
