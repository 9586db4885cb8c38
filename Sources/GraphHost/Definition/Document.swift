/// A YAML or JSON document as a tree in which every part knows its place.
///
/// `Document.parse(json:)` makes one from JSON text. For YAML the server calls `scalar`, `sequence`
/// and `mapping` from the events of its parser, innermost first. It may be made on another thread
/// than the host's. Duplicate keys are kept; the reader of the document reports them.
public struct Document: Sendable {
    /// The content of a document.
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

    /// The content at this place.
    public let content: Content
    /// Where it begins.
    public let position: Position

    /// A scalar.
    ///
    /// - Parameters:
    ///   - text: its text, with escapes resolved and lines folded.
    ///   - style: how it was written; the core schema types plain scalars only.
    ///   - position: where it begins, including its quote or block indicator.
    ///   - indent: for block scalars, how many spaces precede each line of the text.
    /// - Returns: the scalar as a document of its own.
    public static func scalar(
        _ text: String,
        style: Scalar.Style = .plain,
        at position: Position,
        indent: Int = 0
    ) -> Document {
        let scalar = Scalar(text: text, style: style, position: position, indent: indent)
        return Document(content: .scalar(scalar), position: position)
    }

    /// A sequence that begins at `position`.
    public static func sequence(_ elements: [Document], at position: Position) -> Document {
        Document(content: .sequence(elements), position: position)
    }

    /// A mapping that begins at `position`.
    public static func mapping(_ entries: [Entry], at position: Position) -> Document {
        Document(content: .mapping(entries), position: position)
    }
}

extension Document {
    /// The scalar here, if it is one.
    public var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The elements, if this is a sequence.
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
