internal import CSQLite
import Commits
public import SQLiteLog
import TestSupport

/// A disk in memory that fails as a test says, for SQLite (as a VFS) and for what stands beside
/// SQLite's files.
///
/// Everything that it chooses follows from its seed. One thread uses it at a time.
public final class LyingDisk: @unchecked Sendable {
    /// What goes wrong, counted from when it was set: the first operation is number 1.
    public enum Fault: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// One operation fails.
        case once(Int)
        /// One synchronisation fails; the first is number 1.
        case synchronisation(Int)
        /// All operations from that one on fail.
        case from(Int)
        /// The process or the machine stops in the middle of that operation: nothing reaches the
        /// disk any more until ``kill()`` or ``cut()``.
        case stop(Int)
    }

    /// What goes wrong.
    public var fault = Fault.nothing {
        didSet { (operations, synchronisations, hasFailed) = (0, 0, false) }
    }
    /// Reads, writes, synchronisations, truncations, openings and deletions since the fault was
    /// set.
    public private(set) var operations = 0
    private var synchronisations = 0
    /// Whether the fault has come to pass.
    public private(set) var hasFailed = false
    /// Whether the process or the machine has stopped, and was not started again.
    public var hasStopped: Bool {
        if case .stop = fault { hasFailed } else { false }
    }
    /// How many bytes all files together may have.
    public var capacity = Int.max
    /// The name of the VFS.
    public let name: String
    /// What tells this boot of the machine from the others.
    public private(set) var boot = "boot 1"

    private var dice: SeededGenerator
    private let sector: Int
    private var files: [String: DiskFile] = [:]
    /// The folder as it is after a power cut.
    private var durableFiles: [String: DiskFile] = [:]
    /// Rises with each process; what an earlier one has open does nothing any more.
    private(set) var process = 1
    private var boots = 1
    private let registration: Registration

    /// An empty disk.
    public convenience init(seed: UInt64) {
        self.init(seed: seed, files: [:])
    }

    private init(seed: UInt64, files: [String: DiskFile]) {
        dice = SeededGenerator(seed: seed)
        sector = dice.chance(1, in: 2) ? 512 : 4096
        registration = Registration()
        name = registration.name
        for (name, file) in files { self.files[name] = DiskFile(file, sector: sector) }
        durableFiles = self.files
        registration.register(self)
    }

    /// Another disk with the files that this one has now.
    public func copy(seed: UInt64) -> LyingDisk {
        let copy = LyingDisk(seed: seed, files: files)
        (copy.boot, copy.boots) = (boot, boots)
        return copy
    }

    // MARK: - What befalls it

    /// The process ends without a word (kill -9): what it wrote is there.
    public func kill() {
        process += 1
        fault = .nothing
        for file in files.values {
            file.locks = FileLocks()
            file.shared = nil
        }
    }

    /// The power goes: of what was not synchronised, any part is there.
    public func cut() {
        for (name, file) in files.sorted(by: { $0.key < $1.key })
        where durableFiles[name] !== file && dice.chance(1, in: 2) {
            durableFiles[name] = file
        }
        for name in durableFiles.keys.sorted() where files[name] == nil && dice.chance(1, in: 2) {
            durableFiles[name] = nil
        }
        files = durableFiles
        for name in files.keys.sorted() { files[name]?.cut(&dice) }
        kill()
        boots += 1
        boot = "boot \(boots)"
    }

    /// How many bits all files have.
    public var bits: Int { files.values.reduce(0) { $0 + 8 * $1.bytes.count } }

    /// Turns one bit over; returns where that is, as file and byte.
    public func flip(bit: Int) -> String {
        var rest = bit
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            if rest < 8 * file.bytes.count {
                file.flip(bit: rest)
                return "\(name) byte \(rest / 8) bit \(rest % 8)"
            }
            rest -= 8 * file.bytes.count
        }
        preconditionFailure("there are \(bits) bits")
    }

    /// The files as a store has them, for one process: they do nothing any more after ``kill()``
    /// and ``cut()``.
    public var store: any StoreFiles { StoreOnDisk(self) }

    // MARK: - What a process does

    /// Counts an operation; false: it fails.
    func attempts(of process: Int, synchronising: Bool = false) -> Bool {
        guard process == self.process else { return false }
        operations += 1
        if synchronising { synchronisations += 1 }
        let fails =
            switch fault {
            case .nothing: false
            case .synchronisation(let number): synchronising && synchronisations == number
            case .once(let number): operations == number
            case .from(let number), .stop(let number): operations >= number
            }
        if fails { hasFailed = true }
        return !fails
    }

    /// Whether operations that fail may do something by halves.
    private func mayDoHalf(_ process: Int) -> Bool {
        guard process == self.process else { return false }
        if case .stop(let number) = fault { return operations == number }
        return true
    }

    func exists(_ name: String) -> Bool { files[name] != nil }

    /// The file of that name; without a name, a new one that no other opens.
    func open(_ name: String?, isMade: Bool) -> DiskFile? {
        guard let name else { return DiskFile(sector: sector) }
        if files[name] == nil, isMade { files[name] = DiskFile(sector: sector) }
        return files[name]
    }

    func delete(_ name: String, isSynchronised: Bool) {
        files[name] = nil
        if isSynchronised { durableFiles[name] = nil }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, to file: DiskFile, by process: Int) -> Int32 {
        guard attempts(of: process) else {
            if mayDoHalf(process) { tear(bytes, at: offset, to: file) }
            return Failure.write
        }
        let room = capacity - files.values.reduce(0) { $0 + $1.bytes.count }
        let more = offset + bytes.count - file.bytes.count
        guard more <= 0 || more <= room else {
            hasFailed = true
            tear(bytes, at: offset, to: file, atMost: max(0, bytes.count - more + max(0, room)))
            return SQLITE_FULL
        }
        file.write(bytes, at: offset)
        return SQLITE_OK
    }

    /// A beginning of what was to be written arrives.
    private func tear(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int,
        to file: DiskFile,
        atMost most: Int = .max
    ) {
        let sectors = dice.below(bytes.count / sector + 2)
        let count = min(most, bytes.count, max(0, sectors * sector - offset % sector))
        file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
    }

    func synchronise(_ file: DiskFile, by process: Int) -> Bool {
        guard attempts(of: process, synchronising: true) else {
            if hasStopped {
                if mayDoHalf(process) { file.synchroniseHalf(&dice) }
            } else if process == self.process {
                file.synchroniseBadly(&dice)
            }
            return false
        }
        file.synchronise()
        // With a journal its folder is synchronised.
        durableFiles = files
        return true
    }

    func random(_ target: UnsafeMutableRawBufferPointer) {
        for place in target.indices { target[place] = UInt8(truncatingIfNeeded: dice.next()) }
    }
}

/// The files of a store on a ``LyingDisk``, for one process.
private struct StoreOnDisk: StoreFiles {
    private static let mark = "high-water"
    private let disk: LyingDisk
    private let process: Int
    let boot: String

    init(_ disk: LyingDisk) {
        self.disk = disk
        process = disk.process
        boot = disk.boot
    }

    var database: String { StoreFolder.databaseName }
    var vfs: String? { disk.name }

    func readMark() throws(StoreError) -> [UInt8]? {
        guard disk.attempts(of: process) else { throw StoreError("cannot read the high-water mark") }
        let bytes = disk.open(Self.mark, isMade: false).map { Array($0.bytes) } ?? []
        return bytes.isEmpty ? nil : bytes
    }

    func writeMark(_ bytes: [UInt8], synchronised: Bool) throws(StoreError) {
        guard process == disk.process, let file = disk.open(Self.mark, isMade: true),
            bytes.withUnsafeBytes({ disk.write($0, at: 0, to: file, by: process) }) == SQLITE_OK,
            !synchronised || disk.synchronise(file, by: process)
        else {
            throw StoreError("cannot write the high-water mark")
        }
    }

    func release() {}
}
