internal import CEL
public import Values

/// A part of a client's request that takes long to read: the stages of a pipeline, or its source.
public struct UnreadPart: Sendable {
    enum Text {
        /// A list of stages.
        case stages(Document)
        /// The same as JSON.
        case json([UInt8])
        /// A source with its word, such as `combine`, and with its sibling keys.
        case source(String, Document, beside: [String: Document])
    }

    let text: Text
    /// The bytes of all texts that the request has until here.
    let bytes: Int

    /// Whether it takes less than a millisecond to read.
    public var isShort: Bool { bytes <= 1 << 10 }

    func read(_ options: DefinitionOptions, mostStages: Int) -> ReadPart {
        switch text {
        case .stages(let list): return .stages(Self.stages(list, options, mostStages))
        case .json(let json):
            let list = json.withUnsafeBytes { json in
                Result { () throws(DefinitionProblem) in try Document.parse(json: json) }
            }
            return .stages(
                list.mapError { HostError([$0]) }.flatMap { Self.stages($0, options, mostStages) }
            )
        case .source(let word, let argument, let beside):
            let (source, problems) = Source.parse(word, argument, beside: beside, options: options)
            guard problems.isEmpty, let source else { return .source(.failure(HostError(problems))) }
            return .source(.success(source))
        }
    }

    private static func stages(
        _ list: Document,
        _ options: DefinitionOptions,
        _ mostStages: Int
    ) -> Result<[Stage], HostError> {
        let (stages, problems) = Stage.parse(list, options: options)
        guard problems.isEmpty else { return .failure(HostError(problems)) }
        guard stages.count <= mostStages else {
            return .failure(HostError(.badField, "pipe: at most \(mostStages) stages are allowed"))
        }
        return .success(stages)
    }
}

public enum ReadPart {
    case source(Result<Source, HostError>)
    case stages(Result<[Stage], HostError>)
}

/// Reads parts of requests on any thread; the caller owns the results.
public struct PartReader: Sendable {
    private let limits: SessionLimits
    private let options: @Sendable () -> DefinitionOptions

    /// A reader with these limits for stages and literal regular expressions; `options` is called
    /// on the thread that reads.
    public init(limits: SessionLimits, options: @escaping @Sendable () -> DefinitionOptions) {
        self.limits = limits
        self.options = options
    }

    public func read(_ part: UnreadPart) -> sending ReadPart {
        let options = options().bounded(by: limits, units: limits.patternWork)
        return part.read(options, mostStages: limits.stages)
    }
}

/// The parts of one request that another thread has read.
public final class ReadParts {
    private(set) var source: Result<Source, HostError>?
    private(set) var stages: Result<[Stage], HostError>?

    func add(_ part: ReadPart) {
        switch part {
        case .source(let result): source = result
        case .stages(let result): stages = result
        }
    }
}

extension Host {
    /// Schedules a request again that was refused only because a part of it takes long to read.
    ///
    /// The part is read on another thread (``readElsewhere``), and `again` is called in a later
    /// turn: it must perform the request with the parts it is given (``perform(with:_:)``).
    ///
    /// - Returns: false if the last request was refused for another reason.
    public func performsAgain(_ again: @escaping (ReadParts) -> Void) -> Bool {
        guard let part = unread.take(), let readElsewhere else { return false }
        let parts = readParts ?? ReadParts()
        readElsewhere(part) { [self] result in
            parts.add(result)
            later { again(parts) }
        }
        return true
    }

    /// Performs one request with the parts that were read for it.
    public func perform(with parts: ReadParts, _ request: () -> Void) {
        readParts = parts
        defer { readParts = nil }
        request()
    }
}
