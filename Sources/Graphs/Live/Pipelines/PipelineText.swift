public import Definitions
package import Support
package import Values

/// The texts of a pipeline that a client asks for, as it wrote them: its source, unless that is a
/// node, and its stages.
///
/// Or the expressions of a commit.
///
/// They are parsed before the request is performed: a short text on the loop
/// (``PipelineParser``), a long one on another thread (``PipelineScheduler/parseElsewhere``).
public struct PipelineText: Sendable {
    /// The most bytes of all texts of one request: parsing them takes about 10 ms.
    static let longest = 16 << 10
    /// The most bytes that are parsed on the loop, if another thread can parse longer ones:
    /// 0.04 ms.
    static let short = 64
    /// What marks the functions whose patterns are compiled, which may take much longer.
    private static let patternWords: [StaticString] = ["matches", "regex"]

    /// A text, which may be a part of a document.
    enum Part: Sendable {
        case json([UInt8])
        case document(Document)

        fileprivate func document() throws(DefinitionProblem) -> Document {
            switch self {
            case .document(let document): return document
            case .json(let json):
                return try json.withBorrowedBytes { json throws(DefinitionProblem) in
                    try Document.parse(json: json)
                }
            }
        }
    }

    /// The source's word, such as `combine`, its argument, and its sibling keys.
    var source: (word: String, argument: Part, beside: [String: Part])?
    /// A list of stages.
    var stages: Part?
    /// The expressions of a commit.
    private(set) var formulas: [FormulaText] = []
    /// The bytes of all texts.
    private(set) var bytes = 0
    private var mayHavePatterns = false

    /// The stages of a list in JSON text.
    package init(stages text: BorrowedBytes) {
        stages = .json(Array(text))
        count(text)
    }

    /// The texts among the fields of a `sub`; nil: there are none.
    package init?(_ fields: Fields, among words: FieldWords) {
        if let pipe = fields[.pipe] {
            stages = .json(Array(pipe.bytes))
            count(pipe.bytes)
        }
        if fields[.node] == nil, let word = fields.onlyWord(among: words), let field = fields[word] {
            var beside: [String: Part] = [:]
            for key in Source.clientKeys {
                guard let field = fields[key] else { continue }
                beside[key] = .json(Array(field.bytes))
                count(field.bytes)
            }
            source = (word, .json(Array(field.bytes)), beside)
            count(field.bytes)
        }
        if bytes == 0 { return nil }
    }

    /// The texts in the body of an `eval`.
    package init(_ document: Document, of body: BorrowedBytes, word: String) {
        stages = document["pipe"].map { .document($0) }
        if word != "node", let argument = document[word] {
            var beside: [String: Part] = [:]
            for key in Source.clientKeys { beside[key] = document[key].map { .document($0) } }
            source = (word, .document(argument), beside)
        }
        if stages != nil || source != nil { count(body) }
    }

    /// The expressions of a commit; nil: there are none.
    package init?(_ formulas: [FormulaText]) {
        guard !formulas.isEmpty else { return nil }
        self.formulas = formulas
        for formula in formulas { count(formula.text.utf8) }
    }

    private mutating func count(_ text: some Collection<UInt8>) {
        bytes += text.count
        if !mayHavePatterns { mayHavePatterns = Self.patternWords.contains { text.contains($0) } }
    }

    /// Whether it takes less than a millisecond to parse.
    public var isShort: Bool { bytes <= 1 << 10 }

    /// Whether parsing it takes too long for the loop.
    var takesLong: Bool { (bytes > Self.short || mayHavePatterns) && bytes <= Self.longest }

    /// Parses the texts; `options` bound the work of compiling patterns.
    func parse(_ options: DefinitionOptions, mostStages: Int) -> ParsedPipeline {
        ParsedPipeline(
            source: parseSource(options),
            stages: parseStages(options, mostStages),
            formulas: formulas.map { $0.compile(options.expressions) }
        )
    }

    /// Parses them on any thread; the caller owns the result.
    ///
    /// `options`, which are made there, are bounded by the limits for stages and literal regular
    /// expressions.
    public func parse(
        within limits: SessionLimits,
        _ options: @Sendable () -> DefinitionOptions
    ) -> sending ParsedPipeline {
        parse(options().bounded(by: limits, units: limits.patternWork), mostStages: limits.stages)
    }

    private func parseSource(_ options: DefinitionOptions) -> Result<Source, HostError>? {
        guard let source else { return nil }
        do throws(DefinitionProblem) {
            var beside: [String: Document] = [:]
            for (key, part) in source.beside { beside[key] = try part.document() }
            let argument = try source.argument.document()
            let (read, problems) = Source.parse(source.word, argument, beside: beside, options: options)
            guard problems.isEmpty, let read else { return .failure(HostError(problems)) }
            return .success(read)
        } catch {
            return .failure(HostError([error]))
        }
    }

    private func parseStages(_ options: DefinitionOptions, _ most: Int) -> Result<[Stage], HostError> {
        guard let list = stages else { return .success([]) }
        do throws(DefinitionProblem) {
            let (stages, problems) = Stage.parse(try list.document(), options: options)
            guard problems.isEmpty else { return .failure(HostError(problems)) }
            guard stages.count <= most else {
                return .failure(HostError(.badField, "pipe: at most \(most) stages are allowed"))
            }
            return .success(stages)
        } catch {
            return .failure(HostError([error]))
        }
    }
}
