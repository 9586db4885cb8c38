public import Values

/// A YAML or JSON document as a tree in which every part knows its place.
///
/// `Document.parse(json:)` makes one from JSON text. For YAML the server calls `scalar`, `sequence`
/// and `mapping` from the events of its parser, innermost first. It may be made on another thread
/// than the host's. Duplicate keys are kept; the reader of the document reports them.
public struct Document: Sendable {
    public indirect enum Content: Sendable {
        case scalar(Scalar)
        case sequence([Document])
        case mapping([Entry])
    }

    /// A key and its value, in the order of the file.
    public struct Entry: Sendable {
        public let key: Document
        public let value: Document

        /// A member of a mapping.
        public init(key: Document, value: Document) {
            self.key = key
            self.value = value
        }
    }

    public let content: Content
    /// Where it begins.
    public let position: Position

    /// A scalar as a document of its own, with escapes resolved and lines folded.
    ///
    /// The core schema types plain scalars only. The position is that of its quote or block
    /// indicator. In block scalars, `indent` spaces precede each line of the text.
    public static func scalar(
        _ text: String,
        style: Scalar.Style = .plain,
        at position: Position,
        indent: Int = 0
    ) -> Document {
        let scalar = Scalar(text: text, style: style, position: position, indent: indent)
        return Document(content: .scalar(scalar), position: position)
    }

    public static func sequence(_ elements: [Document], at position: Position) -> Document {
        Document(content: .sequence(elements), position: position)
    }

    public static func mapping(_ entries: [Entry], at position: Position) -> Document {
        Document(content: .mapping(entries), position: position)
    }
}

extension Document {
    public var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    public var elements: [Document]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    /// The members, if this is a mapping.
    public var entries: [Entry]? {
        if case .mapping(let entries) = content { entries } else { nil }
    }

    /// The value under a key of a mapping; the first of duplicates.
    public subscript(key: String) -> Document? {
        entries?.first { $0.key.scalar?.text == key }?.value
    }

    /// The kind of its content for messages: `a string`, `a list` and so on.
    public var kindName: String {
        switch content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar): scalar.value.kindName
        }
    }
}
