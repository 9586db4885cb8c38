public import Values

/// Why a server did not start: all problems.
public struct StartFailure: Error, CustomStringConvertible {
    public let problems: [FileProblem]

    package init(_ problems: [FileProblem]) {
        self.problems = problems
    }

    package init(_ sentences: [String]) {
        problems = sentences.map { FileProblem($0) }
    }

    /// The problems with which a step of the start fails; none if it does not.
    static func problems(of step: () throws(StartFailure) -> Void) -> [FileProblem] {
        do throws(StartFailure) {
            try step()
            return []
        } catch {
            return error.problems
        }
    }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
