internal import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Mutations of what a server reads, by number: everything random about one follows from its
/// number.
///
/// They are played in a process of their own (an exit test), so that one that traps or does not end
/// is a failure like others. The number of the mutation at hand stands in a file beside, which the
/// test reports. `SLUICE_SEED=n` plays one in the process of the test, for a debugger.
public struct Fuzz: Sendable {
    /// What became of a mutation.
    public enum Verdict: Sendable {
        /// The content was refused with an error.
        case refused
        /// It was served.
        case served
        /// Something else has happened.
        case failed(String)
    }

    private let name: String
    private let count: Int
    /// How many processes divide the mutations among them.
    private static let parts = 2
    /// More processor time than any mutation needs, in seconds, also under a sanitizer, which takes
    /// ten times as much: the end of a loop that has none.
    private static let longest: rlim_t = 120

    /// So many mutations, or with `SLUICE_NIGHTLY=1` so many.
    public init(_ name: String, short: Int, long: Int) {
        self.name = name
        count = Nightly.isOn ? long : short
    }

    /// The only mutation to be played, where one was asked for.
    public static var only: UInt64? { environment("SLUICE_SEED").flatMap { UInt64($0) } }

    /// Plays a part of the mutations, and ends the process where one has failed: for the body of an
    /// exit test.
    public func play(part: Int, _ body: (UInt64) -> Verdict) {
        let file = open(path(of: getppid(), part), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        func note(_ line: String) {
            let line = Array((line + "\n").utf8)
            _ = ftruncate(file, 0)
            _ = pwrite(file, line, line.count, 0)
        }
        var (refused, served) = (0, 0)
        for number in stride(from: part, to: count, by: Self.parts) {
            note("SLUICE_SEED=\(number) traps, or does not end")
            limitProcessorTime()
            switch body(UInt64(number)) {
            case .refused: refused += 1
            case .served: served += 1
            case .failed(let why):
                note("SLUICE_SEED=\(number): \(why)")
                exit(EXIT_FAILURE)
            }
        }
        note("\(refused) were refused, \(served) were served")
        // A fuzz whose mutations all end alike looks at nothing.
        if min(refused, served) < (refused + served) / 20 { exit(EXIT_FAILURE) }
    }

    /// What the process that played a part has said last.
    public func report(of part: Int) -> String {
        let path = path(of: getpid(), part)
        defer { unlink(path) }
        guard let file = fopen(path, "r") else { return "the process did not begin" }
        defer { fclose(file) }
        var bytes = [CChar](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func path(of process: pid_t, _ part: Int) -> String {
        "/tmp/sluice-fuzz-\(name)-\(process)-\(part)"
    }

    private func limitProcessorTime() {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_CPU.rawValue)
        #else
            let resource = RLIMIT_CPU
        #endif
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = min(limit.rlim_max, rlim_t(used.tv_sec) + Self.longest)
        setrlimit(resource, &limit)
    }
}
