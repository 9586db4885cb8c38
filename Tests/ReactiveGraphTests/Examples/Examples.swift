#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import ReactiveGraph
import Testing

/// The examples of the documentation, run.
///
/// What stands between the first line of a test and its `try check()` is what readers see:
/// `scripts/examples.py` copies it into the articles and the README. `// prints a, then b` says
/// what an example prints, and is compared.
@Suite("Examples of the documentation")
struct Examples {
    // Unchecked: closures of observers are Sendable, and all of an example happens in one place.
    private final class Transcript: @unchecked Sendable {
        var lines: [String] = []
    }

    private let transcript = Transcript()

    /// Takes the place of the global function in examples.
    func print(_ items: Any...) {
        transcript.lines.append(items.map { "\($0)" }.joined(separator: " "))
    }

    /// Compares what was printed with what the comments above say.
    func check(
        file: String = #filePath,
        line: Int = #line,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let source = try #require(read(file), "\(file) cannot be read", sourceLocation: sourceLocation)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)[..<(line - 1)]
        let start = try #require(lines.lastIndex { $0.contains("func ") && $0.hasPrefix("    func ") })
        var expected: [String] = []
        for line in lines[start...] {
            guard let mark = line.range(of: "// prints ") else { continue }
            expected += line[mark.upperBound...].split(separator: ", then ").map(String.init)
        }
        #expect(transcript.lines == expected, sourceLocation: sourceLocation)
    }

    private func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
