internal import CYAML
public import Definitions
public import Values

/// Reads YAML 1.2 by libyaml's events: the core schema, no tags, no merge keys, bounded aliases.
///
/// It leaves out what makes YAML files dangerous or surprising: a document cannot name types,
/// cannot grow by more than ``maximumRepeated`` through aliases, and cannot nest deeper than
/// ``maximumDepth``. Duplicate keys are kept; the reader of the document reports them.
public enum YAMLReader {
    /// How many aliases a document may use.
    public static let maximumAliases = 100
    /// How many nodes aliases may add; the size of the file limits everything else.
    public static let maximumRepeated = 100_000
    /// How deep it may nest, aliases expanded.
    public static let maximumDepth = 64

    /// Reads one document, UTF-8, or UTF-16 with a byte order mark; `file` is its name for
    /// problems.
    ///
    /// - Returns: the document; or nil with the problems, or nil without a problem if the file is
    ///   empty or has only comments.
    public static func read(
        _ bytes: [UInt8],
        file: String?
    ) -> (document: Document?, problems: [DefinitionProblem]) {
        var builder = DocumentBuilder(file: file, indentation: Indentation(of: bytes))
        var parser = unsafe yaml_parser_t()
        guard unsafe yaml_parser_initialize(&parser) == 1 else {
            preconditionFailure("libyaml has no memory")
        }
        defer { unsafe yaml_parser_delete(&parser) }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
            var isMore = true
            while isMore {
                var event = unsafe yaml_event_t()
                guard unsafe yaml_parser_parse(&parser, &event) == 1 else {
                    let mark = unsafe parser.problem_mark
                    let hint = unsafe YAMLHint.hint(
                        Array(bytes),
                        line: Int(mark.line),
                        column: Int(mark.column)
                    )
                    unsafe builder.refuse(Self.failure(of: parser), at: Position(mark), hint: hint)
                    return (nil, builder.problems)
                }
                isMore = unsafe event.type != YAML_STREAM_END_EVENT && builder.take(event)
                unsafe yaml_event_delete(&event)
            }
            return (builder.problems.isEmpty ? builder.document : nil, builder.problems)
        }
    }

    private static func failure(of parser: yaml_parser_t) -> String {
        guard let problem = unsafe parser.problem else { return "this is not YAML" }
        let context = unsafe parser.context.map { unsafe " " + String(cString: $0) } ?? ""
        return unsafe "this is not YAML: \(String(cString: problem))\(context)"
    }
}

extension Position {
    /// libyaml counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}

/// Builds a document from events, without recursion.
private struct DocumentBuilder {
    /// A list or mapping that is still open.
    struct Open {
        let position: Position
        let isMapping: Bool
        let anchor: String?
        var elements: [Document] = []
        var entries: [Document.Entry] = []
        var key: Document?
        var size = 1
        var depth = 1
    }

    /// The node of an anchor, with the cost of repeating it.
    struct Anchored {
        let document: Document
        let size: Int
        let depth: Int
    }

    let file: String?
    private(set) var document: Document?
    private(set) var problems: [DefinitionProblem] = []
    private var open: [Open] = []
    private var anchors: [String: Anchored] = [:]
    private var aliases = 0
    private var repeated = 0

    private var indentation: Indentation

    init(file: String?, indentation: Indentation) {
        self.file = file
        self.indentation = indentation
    }

    mutating func refuse(_ message: String, at position: Position, hint: String? = nil) {
        problems.append(DefinitionProblem(message, file: file, at: position, hint: hint))
    }

    /// Takes one event; false if reading cannot continue.
    mutating func take(_ event: yaml_event_t) -> Bool {
        let position = unsafe Position(event.start_mark)
        switch unsafe event.type {
        case YAML_DOCUMENT_START_EVENT:
            if document != nil {
                refuse("a file holds one document", at: position, hint: "remove everything after '---'")
                return false
            }
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            unsafe checkTag(scalar.tag, at: position)
            let text = unsafe String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
                as: UTF8.self
            )
            let style = unsafe Self.style(scalar.style)
            let isBlock = style == .literal || style == .folded
            let document = Document.scalar(
                text,
                style: style,
                at: position,
                indent: isBlock
                    ? indentation.spaces(before: text, below: position.line - 1) : open.count * 2
            )
            return unsafe add(document, anchor: name(scalar.anchor), size: 1, depth: 1)
        case YAML_SEQUENCE_START_EVENT:
            unsafe checkTag(event.data.sequence_start.tag, at: position)
            return unsafe push(
                Open(position: position, isMapping: false, anchor: name(event.data.sequence_start.anchor))
            )
        case YAML_MAPPING_START_EVENT:
            unsafe checkTag(event.data.mapping_start.tag, at: position)
            return unsafe push(
                Open(position: position, isMapping: true, anchor: name(event.data.mapping_start.anchor))
            )
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            return pop()
        case YAML_ALIAS_EVENT:
            return unsafe expand(name(event.data.alias.anchor) ?? "", at: position)
        default:
            break
        }
        return true
    }

    private func name(_ anchor: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        unsafe anchor.map { unsafe String(cString: $0) }
    }

    private mutating func checkTag(_ tag: UnsafeMutablePointer<yaml_char_t>?, at position: Position) {
        if unsafe tag != nil {
            refuse(
                "tags are not supported",
                at: position,
                hint: "remove the part that begins with '!', or quote it: \"!value\""
            )
        }
    }

    private mutating func push(_ next: Open) -> Bool {
        guard open.count < YAMLReader.maximumDepth else {
            refuse("this nests more than \(YAMLReader.maximumDepth) deep", at: next.position)
            return false
        }
        open.append(next)
        return true
    }

    private mutating func pop() -> Bool {
        guard let done = open.popLast() else { return false }
        let document =
            done.isMapping
            ? Document.mapping(done.entries, at: done.position) : .sequence(done.elements, at: done.position)
        return add(document, anchor: done.anchor, size: done.size, depth: done.depth)
    }

    private mutating func expand(_ name: String, at position: Position) -> Bool {
        aliases += 1
        guard aliases <= YAMLReader.maximumAliases else {
            refuse("more than \(YAMLReader.maximumAliases) aliases", at: position)
            return false
        }
        guard let anchored = anchors[name] else {
            let hint = "a text that begins with '*' needs quotes: \"*\(name)\""
            refuse("there is no anchor '&\(name)' before this alias", at: position, hint: hint)
            return false
        }
        guard open.count + anchored.depth <= YAMLReader.maximumDepth else {
            refuse("this nests more than \(YAMLReader.maximumDepth) deep", at: position)
            return false
        }
        repeated += anchored.size
        guard repeated <= YAMLReader.maximumRepeated else {
            refuse("aliases repeat more than \(YAMLReader.maximumRepeated) values", at: position)
            return false
        }
        return add(anchored.document, anchor: nil, size: anchored.size, depth: anchored.depth)
    }

    /// Puts a finished node where it belongs.
    private mutating func add(_ node: Document, anchor: String?, size: Int, depth: Int) -> Bool {
        if let anchor { anchors[anchor] = Anchored(document: node, size: size, depth: depth) }
        guard !open.isEmpty else {
            document = node
            return true
        }
        let last = open.count - 1
        open[last].size += size
        open[last].depth = max(open[last].depth, depth + 1)
        guard open[last].isMapping else {
            open[last].elements.append(node)
            return true
        }
        if let key = open[last].key {
            open[last].entries.append(Document.Entry(key: key, value: node))
            open[last].key = nil
            return true
        }
        if let scalar = node.scalar {
            if scalar.text == "<<", scalar.style == .plain {
                refuse("merge keys are not supported", at: node.position, hint: "write the keys out")
            }
        } else {
            refuse("a key must be a single word, not \(node.kindName)", at: node.position)
        }
        open[last].key = node
        return true
    }

    private static func style(_ style: yaml_scalar_style_t) -> Scalar.Style {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE: .literal
        case YAML_FOLDED_SCALAR_STYLE: .folded
        default: .plain
        }
    }
}
