internal import EventLoop

/// Reads the resource use of another process of this machine: the server under load (Linux).
public struct ProcessGauge: Sendable {
    /// The resource use of a process up to one moment.
    public struct Reading: Sendable {
        /// Processor time of its threads so far, user and kernel together, in seconds.
        public let processorSeconds: Double
        /// Memory resident, in bytes.
        public let residentBytes: Int
    }

    private let process: Int32

    /// A gauge of the process with that number; nil if its figures cannot be read.
    public init?(process: Int32) {
        self.process = process
        guard read() != nil else { return nil }
    }

    /// The present figures; nil if the process is gone.
    ///
    /// `schedstat` counts in nanoseconds, `statm` in pages of 4 KiB.
    public func read() -> Reading? {
        guard let pages = numbers("statm").dropFirst().first,
            let threads = try? Files.names(in: "/proc/\(process)/task")
        else { return nil }
        let used = threads.reduce(0) { $0 + (numbers("task/\($1)/schedstat").first ?? 0) }
        return Reading(processorSeconds: Double(used) / 1e9, residentBytes: pages * 4096)
    }

    private func numbers(_ name: String) -> [Int] {
        guard let bytes = try? Files.readKernelFile("/proc/\(process)/\(name)") else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .compactMap { Int($0) }
    }
}
