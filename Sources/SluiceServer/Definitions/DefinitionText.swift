internal import Definitions
internal import HTTP
internal import Support
internal import Values

/// The definition in a request's body.
struct DefinitionText: Sendable {
    let bytes: [UInt8]
    let format: DefinitionFormat

    /// The text as a tree; throws the places where it is not JSON or YAML.
    func document() throws(HostError) -> Document {
        let document: Document?
        let problems: [DefinitionProblem]
        switch format {
        case .json: (document, problems) = parsedJSON()
        case .yaml: (document, problems) = YAMLReader.read(bytes, file: nil)
        }
        if let document { return document }
        throw problems.isEmpty ? HostError(.badField, "there is no definition in it") : HostError(problems)
    }

    private func parsedJSON() -> (Document?, [DefinitionProblem]) {
        bytes.withBorrowedBytes { bytes in
            do throws(DefinitionProblem) {
                return (try Document.parse(json: bytes), [])
            } catch {
                return (nil, [error])
            }
        }
    }
}

/// The syntax of a definition.
enum DefinitionFormat {
    case json, yaml

    /// The format by the head; without a type, text that begins with a brace is JSON.
    init?(_ head: RequestHead, _ body: BorrowedBytes) {
        guard let value = head.value(.contentType), !value.isEmpty else {
            let first = body.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
            self = first == UInt8(ascii: "{") ? .json : .yaml
            return
        }
        guard let type = MediaType(value), type.isUTF8 else { return nil }
        if type.isType("application/json") {
            self = .json
        } else if type.isType("application/yaml") || type.isType("application/x-yaml")
            || type.isType("text/yaml") || type.isType("text/x-yaml")
        {
            self = .yaml
        } else {
            return nil
        }
    }
}
