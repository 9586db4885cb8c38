package import ArgumentParser
internal import Platform

/// The two outputs of a command; both are written through at once, also into a pipe.
package enum Terminal {
    /// A line of the command's result.
    package static func print(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    /// A body of a server as lines of the result; the line end that it may have is not doubled.
    package static func print(_ body: [UInt8]) {
        print(String(decoding: body.last == UInt8(ascii: "\n") ? body.dropLast() : body[...], as: UTF8.self))
    }

    /// A line for the person, beside the result.
    package static func note(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

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

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
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
