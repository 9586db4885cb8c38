package import ArgumentParser
internal import Platform
internal import Support

/// The two outputs of a command; both are written through at once, also into a pipe.
///
/// Names and sentences come from servers, files and other people. Everything that a terminal would
/// act on is escaped here (``VisibleText``), in lines also line breaks.
package enum Terminal {
    /// A line of the command's result.
    package static func print(_ line: String) { write(VisibleText.line(line), to: STDOUT_FILENO) }

    /// Lines of the command's result.
    package static func print(text: String) { write(VisibleText.lines(text), to: STDOUT_FILENO) }

    /// A body of a server as lines of the result; the line end that it may have is not doubled.
    package static func print(_ body: [UInt8]) {
        let lines = body.last == UInt8(ascii: "\n") ? body.dropLast() : body[...]
        print(text: String(decoding: lines, as: UTF8.self))
    }

    /// Whether a person reads the results, and not a program.
    package static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// A line for the person, beside the result.
    package static func note(_ line: String) { write(VisibleText.line(line), to: STDERR_FILENO) }

    /// Lines for the person.
    package static func note(text: String) { write(VisibleText.lines(text), to: STDERR_FILENO) }

    /// Says why the command failed and ends it with exit code 1.
    package static func failure(_ reason: some CustomStringConvertible) -> ExitCode {
        note("error: \(reason)")
        return ExitCode(1)
    }

    /// Does something that may fail; a failure is said on standard error and ends the command with
    /// exit code 1.
    package static func reporting<Result>(_ work: () throws -> Result) throws -> Result {
        do { return try work() } catch { throw failure("\(error)") }
    }

    /// Writes the text and the end of a line.
    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array((text + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = Platform.write(rest, to: descriptor)
            if count < 0 {
                // The reader of the pipe has gone (`sluice watch … | head -1`): there is no one
                // left to write to.
                if errno == EINTR { continue }
                exit(errno == EPIPE ? 0 : 1)
            }
            rest = rest.dropFirst(count)
        }
    }
}
