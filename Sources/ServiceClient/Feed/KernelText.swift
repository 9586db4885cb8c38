/// Reads the tables that the kernel prints under `/proc`: lines of words.
///
/// Odd input neither traps nor fails: unreadable figures are nil or left out, so that one strange
/// line does not hide the others.
enum KernelText {
    /// The words of each line, without empty ones.
    static func lines(_ text: String) -> [[Substring]] {
        text.split(separator: "\n").map { line in line.split { $0 == " " || $0 == "\t" } }
    }
}

/// What the processors did since the machine started, in ticks (hundredths of a second), from
/// `/proc/stat` (proc_stat(5)).
struct ProcessorFigures: Hashable {
    var user: UInt64 = 0, nice: UInt64 = 0, system: UInt64 = 0, idle: UInt64 = 0
    var inputOutputWait: UInt64 = 0, interrupt: UInt64 = 0, softInterrupt: UInt64 = 0, stolen: UInt64 = 0
    /// How many processors are on line.
    var cores = 0

    /// Reads the summary line, `cpu`, and counts the lines of single processors; nil without a
    /// summary of at least four modes.
    init?(_ text: String) {
        var modes: [UInt64]?
        for words in KernelText.lines(text) {
            guard let name = words.first, name.hasPrefix("cpu") else { continue }
            let numbers = words.dropFirst().map { UInt64($0) }
            if name == "cpu" {
                guard numbers.count >= 4, !numbers.contains(nil) else { return nil }
                modes = numbers.compactMap(\.self)
            } else if UInt(name.dropFirst(3)) != nil {
                cores += 1
            }
        }
        guard let modes else { return nil }
        func mode(_ index: Int) -> UInt64 { index < modes.count ? modes[index] : 0 }
        (user, nice, system, idle) = (mode(0), mode(1), mode(2), mode(3))
        (inputOutputWait, interrupt, softInterrupt, stolen) = (mode(4), mode(5), mode(6), mode(7))
    }

    /// Ticks spent on work.
    ///
    /// Guests' time is part of `user` and `nice` already.
    var busy: UInt64 { user &+ nice &+ system &+ interrupt &+ softInterrupt &+ stolen }

    /// All ticks.
    var total: UInt64 { busy &+ idle &+ inputOutputWait }
}

/// The mean number of runnable tasks over 1, 5 and 15 minutes, from `/proc/loadavg`.
struct LoadFigures: Hashable {
    let one: Double, five: Double, fifteen: Double

    init?(_ text: String) {
        let numbers = (KernelText.lines(text).first ?? []).prefix(3).compactMap { Double($0) }
        guard numbers.count == 3, numbers.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return nil }
        (one, five, fifteen) = (numbers[0], numbers[1], numbers[2])
    }
}

/// Seconds since the machine started, from `/proc/uptime`.
struct UptimeFigure: Hashable {
    let seconds: Double

    init?(_ text: String) {
        guard let word = KernelText.lines(text).first?.first, let seconds = Double(word), seconds.isFinite,
            seconds >= 0
        else { return nil }
        self.seconds = seconds
    }
}

/// Memory in bytes, from `/proc/meminfo`; what a kernel does not say is nil.
struct MemoryFigures: Hashable {
    private(set) var total: UInt64?
    private(set) var available: UInt64?
    private(set) var swapTotal: UInt64?
    private(set) var swapFree: UInt64?

    init(_ text: String) {
        for words in KernelText.lines(text) {
            guard words.count == 3, words[2] == "kB", let kibibytes = UInt64(words[1]) else { continue }
            let (bytes, overflow) = kibibytes.multipliedReportingOverflow(by: 1024)
            guard !overflow else { continue }
            switch words[0] {
            case "MemTotal:": total = bytes
            case "MemAvailable:": available = bytes
            case "SwapTotal:": swapTotal = bytes
            case "SwapFree:": swapFree = bytes
            default: break
            }
        }
    }
}

/// What the network interfaces carried since they came up, from `/proc/net/dev`; loopback apart
/// from all others.
struct NetworkFigures: Hashable {
    /// Both directions of one or several interfaces.
    struct Traffic: Hashable {
        var receivedBytes: UInt64 = 0, sentBytes: UInt64 = 0
    }

    private(set) var outside = Traffic()
    private(set) var loopback = Traffic()

    /// Reads the table; nil when no line of it is an interface.
    init?(_ text: String) {
        var isEmpty = true
        for line in text.split(separator: "\n") {
            // A long counter may follow the colon without a space.
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].filter { $0 != " " && $0 != "\t" }
            let numbers = line[line.index(after: colon)...].split(separator: " ").map { UInt64($0) }
            guard !name.isEmpty, numbers.count >= 16, !numbers.contains(nil) else { continue }
            let counters = numbers.compactMap(\.self)
            isEmpty = false
            let traffic = name == "lo" ? \NetworkFigures.loopback : \NetworkFigures.outside
            self[keyPath: traffic].receivedBytes &+= counters[0]
            self[keyPath: traffic].sentBytes &+= counters[8]
        }
        if isEmpty { return nil }
    }
}

/// Bytes read from and written to whole disks since the machine started, from `/proc/diskstats`
/// (iostats.rst).
///
/// Partitions, and what is made of other disks or of memory (loop, ram, device mapper, RAID), would
/// count twice and are left out.
struct DiskFigures: Hashable {
    private(set) var readBytes: UInt64 = 0
    private(set) var writtenBytes: UInt64 = 0

    /// Reads the table; nil when it names no disk.
    init?(_ text: String) {
        var disks: [(name: Substring, read: UInt64, written: UInt64)] = []
        for words in KernelText.lines(text) where words.count >= 14 {
            guard let read = UInt64(words[5]), let written = UInt64(words[9]) else { continue }
            let name = words[2]
            let isMade = ["loop", "ram", "zram", "dm-", "md", "sr", "fd"].contains { name.hasPrefix($0) }
            if !isMade { disks.append((name, read, written)) }
        }
        let whole = disks.filter { disk in !disks.contains { Self.isPartition(disk.name, of: $0.name) } }
        guard !whole.isEmpty else { return nil }
        for disk in whole {
            // The kernel counts sectors of 512 bytes whatever the disk's own are.
            readBytes &+= disk.read &* 512
            writtenBytes &+= disk.written &* 512
        }
    }

    /// `sda1` of `sda`; `nvme0n1p2` of `nvme0n1`, where a `p` keeps two numbers apart.
    private static func isPartition(_ name: Substring, of disk: Substring) -> Bool {
        guard name.count > disk.count, name.hasPrefix(disk) else { return false }
        var rest = name.dropFirst(disk.count)
        if disk.last?.isNumber == true {
            guard rest.first == "p" else { return false }
            rest = rest.dropFirst()
        }
        return !rest.isEmpty && rest.allSatisfy(\.isNumber)
    }
}
