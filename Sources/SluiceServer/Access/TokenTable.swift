internal import EventLoop
internal import Graphs
internal import Values

/// The tokens of a file, by their SHA-256.
///
/// Reading many takes long, so that a running server reads them on another thread. Releasing them
/// takes long, too: ``releaseSome()``.
final class TokenTable {
    /// The most problems of one file that are reported.
    private static var mostProblems: Int { 100 }

    /// By the first byte of the digest.
    private var parts: [[[UInt8]: Principal]] = Array(repeating: [:], count: 256)

    init(_ principals: [Principal]) {
        for principal in principals {
            guard let first = principal.digest.first else { continue }
            parts[Int(first)][principal.digest] = principal
        }
    }

    /// Reads a file of tokens of at most `limit` bytes (`limits.tokens`); throws its problems.
    static func read(_ path: String, limit: Int) throws(StartFailure) -> sending TokenTable {
        let bytes: [UInt8]
        do throws(UVError) {
            bytes = try Files.read(path, limit: limit).bytes
        } catch {
            throw StartFailure([problem(error, in: path, limit: limit)])
        }
        let (document, syntax) = YAMLReader.read(bytes, file: path)
        guard let document else {
            guard syntax.isEmpty else { throw StartFailure(syntax.map { FileProblem($0) }) }
            throw StartFailure([FileProblem("auth: the file has no tokens", file: path)])
        }
        let (tokens, problems) = TokenFile.read(document, file: path)
        guard problems.isEmpty else { throw StartFailure(listed(problems, of: path)) }
        return TokenTable(tokens)
    }

    private static func problem(_ error: UVError, in path: String, limit: Int) -> FileProblem {
        guard error.is(.fileTooLarge) else {
            return FileProblem("auth: cannot be read (\(error.message))", file: path)
        }
        return FileProblem(
            "auth: the file has more than \(ValueKind.size.show(limit)) (limits.tokens)",
            file: path,
            hint: "remove tokens that are not used any more; one for each role or site needs fewer"
        )
    }

    private static func listed(_ problems: [DefinitionProblem], of path: String) -> [FileProblem] {
        var listed = problems.prefix(mostProblems).map { FileProblem($0) }
        if problems.count > mostProblems {
            listed.append(FileProblem("and \(problems.count - mostProblems) further problems", file: path))
        }
        return listed
    }

    subscript(digest: [UInt8]) -> Principal? {
        guard let first = digest.first, !parts.isEmpty else { return nil }
        return parts[Int(first)][digest]
    }

    /// Releases a part of the tokens, when they are not needed any more; false: all are released.
    func releaseSome() -> Bool { parts.popLast() != nil }
}
