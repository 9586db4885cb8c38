public import Support
public import Values

extension Document {
    /// Reads one JSON text, recording the place of every part.
    ///
    /// Duplicate keys are kept; the reader of the document reports them.
    ///
    /// - Throws: the first place where the text is not JSON.
    public static func parse(
        json bytes: BorrowedBytes,
        file: String? = nil
    ) throws(DefinitionProblem) -> Document {
        var builder = Builder(bytes: bytes)
        do throws(JSONError) {
            let limits = JSONLimits(refusesDuplicateKeys: false)
            return builder.document(try JSONReader(checking: bytes, limits: limits))
        } catch {
            let position = builder.position(of: min(error.offset, bytes.count))
            throw DefinitionProblem(error.explanation, code: error.code, file: file, at: position)
        }
    }

    public static func parse(json text: String, file: String? = nil) throws(DefinitionProblem) -> Document {
        try text.withBorrowedBytes { utf8 throws(DefinitionProblem) in try parse(json: utf8, file: file) }
    }

    /// Builds documents from readers and counts lines and characters on the way; positions must be
    /// requested in order.
    private struct Builder {
        let bytes: BorrowedBytes
        private var at = 0
        private var line = 1
        private var column = 1

        init(bytes: BorrowedBytes) {
            self.bytes = bytes
        }

        mutating func position(of offset: Int) -> Position {
            while at < offset {
                if bytes[at] == UInt8(ascii: "\n") {
                    line += 1
                    column = 1
                } else if bytes[at] & 0xc0 != 0x80 {
                    column += 1
                }
                at += 1
            }
            return Position(line: line, column: column)
        }

        private mutating func position(of part: BorrowedBytes, back: Int = 0) -> Position {
            guard let start = bytes.offset(of: part) else { return .start }
            return position(of: start - back)
        }

        mutating func document(_ reader: JSONReader) -> Document {
            let position = position(of: reader.bytes)
            switch reader.kind {
            case .object:
                var entries: [Entry] = []
                for member in reader.members {
                    let keyPosition = self.position(of: member.key.inside, back: 1)
                    let key = Document.scalar(member.key.string, style: .doubleQuoted, at: keyPosition)
                    entries.append(Entry(key: key, value: document(member.value)))
                }
                return .mapping(entries, at: position)
            case .array:
                return .sequence(reader.elements.map { document($0) }, at: position)
            case .string:
                return .scalar(reader.string ?? "", style: .doubleQuoted, at: position)
            default:
                return .scalar(String(decoding: reader.bytes, as: UTF8.self), at: position)
            }
        }
    }
}
