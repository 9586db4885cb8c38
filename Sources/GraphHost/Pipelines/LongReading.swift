internal import CEL

/// A part of a client's request that takes long to read: the stages of a pipeline, or what it starts from.
public struct UnreadPart: Sendable {
    /// The source's word, such as `combine`; nil: the part is a list of stages.
    let word: String?
    let text: Document
    /// What stands beside a source, by its key.
    var beside: [String: Document] = [:]

    /// Reads it, as far as `options` allow.
    func read(_ options: DefinitionOptions, mostStages: Int) -> ReadPart {
        guard let word else {
            let (stages, problems) = Stage.parse(text, options: options)
            guard problems.isEmpty else { return .stages(.failure(HostError(problems))) }
            guard stages.count <= mostStages else {
                return .stages(.failure(HostError(.pipeLimit, "at most \(mostStages) stages per pipe")))
            }
            return .stages(.success(stages))
        }
        let (source, problems) = Source.parse(word, text, beside: beside, options: options)
        guard problems.isEmpty, let source else { return .source(.failure(HostError(problems))) }
        return .source(.success(source))
    }
}

/// What came of a part.
public enum ReadPart {
    case source(Result<Source, HostError>)
    case stages(Result<[Stage], HostError>)
}

/// Reads parts of requests on any thread; what it makes belongs to the caller.
public struct PartReader: Sendable {
    private let limits: SessionLimits
    private let options: @Sendable () -> DefinitionOptions

    /// A reader with these bounds.
    ///
    /// - Parameters:
    ///   - limits: bounds the stages, and the work of literal regular expressions for each part.
    ///   - options: makes what one part may use; called on the thread that reads.
    public init(limits: SessionLimits, options: @escaping @Sendable () -> DefinitionOptions) {
        self.limits = limits
        self.options = options
    }

    /// Reads a part.
    public func read(_ part: UnreadPart) -> sending ReadPart {
        let options = options().bounded(by: limits, units: limits.patternWork)
        return part.read(options, mostStages: limits.stages)
    }
}

/// The parts of one request that were read on another thread.
final class ReadParts {
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
    /// Has a request performed again that was refused only because a part of it takes long to read.
    ///
    /// The part is read elsewhere (``readElsewhere``), and `again` called in a later turn.
    ///
    /// - Returns: false: the last request was refused for good.
    public func performsAgain(_ again: @escaping () -> Void) -> Bool {
        guard let part = unread.take(), let readElsewhere else { return false }
        let parts = readParts ?? ReadParts()
        readElsewhere(part) { [self] result in
            parts.add(result)
            later { [self] in
                readParts = parts
                again()
                readParts = nil
            }
        }
        return true
    }
}
