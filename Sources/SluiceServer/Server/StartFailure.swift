/// Why a server did not start: all problems.
public struct StartFailure: Error, CustomStringConvertible {
    public let problems: [FileProblem]

    package init(_ problems: [FileProblem]) {
        self.problems = problems
    }

    package init(_ sentences: [String]) {
        problems = sentences.map { FileProblem($0) }
    }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
