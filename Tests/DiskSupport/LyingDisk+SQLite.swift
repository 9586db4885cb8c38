internal import CSQLite
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif
import Synchronization

// The disk as SQLite sees it: https://sqlite.org/c3ref/vfs.html and
// https://sqlite.org/c3ref/io_methods.html.

/// Extended result codes (https://sqlite.org/rescode.html), which the header computes in a way that
/// Swift does not import.
enum Failure {
    static let read = SQLITE_IOERR | 1 << 8
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let synchronise = SQLITE_IOERR | 4 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let delete = SQLITE_IOERR | 10 << 8
    static let lock = SQLITE_IOERR | 15 << 8
    static let sharedLock = SQLITE_IOERR | 20 << 8
    static let sharedMap = SQLITE_IOERR | 21 << 8
    static let deleteUnknown = SQLITE_IOERR | 23 << 8
}

/// One file that a connection has open.
private final class Handle {
    let disk: LyingDisk
    let file: DiskFile
    let process: Int
    /// The name that is deleted when it is closed.
    var deletedName: String?
    /// The index, also after the process has ended: SQLite still holds pointers into it.
    var shared: SharedMemory?

    init(_ disk: LyingDisk, _ file: DiskFile) {
        self.disk = disk
        self.file = file
        process = disk.process
    }

    var isAlive: Bool { process == disk.process }
}

/// SQLite's file object with what is ours behind it.
private struct OpenFile {
    var base: sqlite3_file
    var handle: Unmanaged<Handle>?

    /// What a file object stands for.
    static func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Handle {
        UnsafeMutableRawPointer(file!).assumingMemoryBound(to: OpenFile.self).pointee.handle!
            .takeUnretainedValue()
    }
}

/// A VFS with a name of its own, for as long as its disk lives.
final class Registration {
    private static let count = Atomic(0)

    let name: String
    private let text: UnsafeMutablePointer<CChar>
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>

    init() {
        name = "lying-\(Self.count.add(1, ordering: .relaxed).newValue)"
        text = strdup(name)
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: sqlite3_vfs())
    }

    func register(_ disk: LyingDisk) {
        vfs.pointee.iVersion = 2
        vfs.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        vfs.pointee.mxPathname = 512
        vfs.pointee.zName = UnsafePointer(text)
        vfs.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
        vfs.pointee.xOpen = openFile
        vfs.pointee.xDelete = { vfs, name, isSynchronised in
            let disk = owner(of: vfs)
            let name = String(cString: name!)
            guard disk.attempts(of: disk.process) else { return Failure.delete }
            guard disk.exists(name) else { return Failure.deleteUnknown }
            disk.delete(name, isSynchronised: isSynchronised != 0)
            return SQLITE_OK
        }
        vfs.pointee.xAccess = { vfs, name, _, result in
            result?.pointee = owner(of: vfs).exists(String(cString: name!)) ? 1 : 0
            return SQLITE_OK
        }
        vfs.pointee.xFullPathname = { _, name, size, target in
            guard strlen(name!) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(target!, name!)
            return SQLITE_OK
        }
        vfs.pointee.xRandomness = { vfs, count, target in
            owner(of: vfs).random(UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
            return count
        }
        // No other thread runs, so there is nothing to wait for.
        vfs.pointee.xSleep = { _, microseconds in microseconds }
        vfs.pointee.xCurrentTime = { _, time in
            time?.pointee = 2_460_000
            return SQLITE_OK
        }
        vfs.pointee.xCurrentTimeInt64 = { _, time in
            time?.pointee = 2_460_000 * 86_400_000
            return SQLITE_OK
        }
        sqlite3_vfs_register(vfs, 0)
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        vfs.deallocate()
        free(text)
    }
}

private func owner(of vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> LyingDisk {
    Unmanaged<LyingDisk>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue()
}

private func openFile(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?,
    _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    let disk = owner(of: vfs)
    let name = name.map { String(cString: $0) }
    file!.pointee.pMethods = nil
    guard disk.attempts(of: disk.process),
        let found = disk.open(name, isMade: flags & SQLITE_OPEN_CREATE != 0)
    else { return SQLITE_CANTOPEN }
    let handle = Handle(disk, found)
    if flags & SQLITE_OPEN_DELETEONCLOSE != 0 { handle.deletedName = name }
    UnsafeMutableRawPointer(file!).assumingMemoryBound(to: OpenFile.self).pointee.handle =
        .passRetained(handle)
    file!.pointee.pMethods = UnsafePointer(methods)
    outFlags?.pointee = flags
    return SQLITE_OK
}

nonisolated(unsafe) private let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    methods.pointee.xClose = { file in
        let handle = OpenFile.handle(file)
        if handle.isAlive {
            handle.file.locks.lower(to: SQLITE_LOCK_NONE, by: handle)
            if let name = handle.deletedName { handle.disk.delete(name, isSynchronised: false) }
        }
        UnsafeMutableRawPointer(file!).assumingMemoryBound(to: OpenFile.self).pointee.handle?.release()
        return SQLITE_OK
    }
    methods.pointee.xRead = { file, target, count, offset in
        let handle = OpenFile.handle(file)
        guard handle.disk.attempts(of: handle.process) else { return Failure.read }
        let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
        let bytes = handle.file.bytes
        let found = max(0, min(target.count, bytes.count - Int(offset)))
        if found > 0 { target.copyMemory(from: .init(rebasing: bytes[Int(offset)..<Int(offset) + found])) }
        guard found < target.count else { return SQLITE_OK }
        UnsafeMutableRawBufferPointer(rebasing: target[found...]).initializeMemory(
            as: UInt8.self,
            repeating: 0
        )
        return Failure.shortRead
    }
    methods.pointee.xWrite = { file, source, count, offset in
        let handle = OpenFile.handle(file)
        let bytes = UnsafeRawBufferPointer(start: source, count: Int(count))
        return handle.disk.write(bytes, at: Int(offset), to: handle.file, by: handle.process)
    }
    methods.pointee.xTruncate = { file, size in
        let handle = OpenFile.handle(file)
        guard handle.disk.attempts(of: handle.process) else { return Failure.truncate }
        handle.file.truncate(to: Int(size))
        return SQLITE_OK
    }
    methods.pointee.xSync = { file, _ in
        let handle = OpenFile.handle(file)
        return handle.disk.synchronise(handle.file, by: handle.process) ? SQLITE_OK : Failure.synchronise
    }
    methods.pointee.xFileSize = { file, size in
        size?.pointee = sqlite3_int64(OpenFile.handle(file).file.bytes.count)
        return SQLITE_OK
    }
    methods.pointee.xLock = { file, level in
        let handle = OpenFile.handle(file)
        guard handle.isAlive else { return Failure.lock }
        return handle.file.locks.take(level, by: handle) ? SQLITE_OK : SQLITE_BUSY
    }
    methods.pointee.xUnlock = { file, level in
        let handle = OpenFile.handle(file)
        if handle.isAlive { handle.file.locks.lower(to: level, by: handle) }
        return SQLITE_OK
    }
    methods.pointee.xCheckReservedLock = { file, result in
        result?.pointee = OpenFile.handle(file).file.locks.isHeld(atLeast: SQLITE_LOCK_RESERVED) ? 1 : 0
        return SQLITE_OK
    }
    methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.pointee.xSectorSize = { _ in 4096 }
    // As SQLite takes it of every Unix: what stands beside written bytes is safe.
    methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.pointee.xShmMap = { file, number, size, isMade, target in
        let handle = OpenFile.handle(file)
        guard handle.disk.attempts(of: handle.process) else { return Failure.sharedMap }
        let shared = handle.file.shared ?? SharedMemory()
        (handle.file.shared, handle.shared) = (shared, shared)
        target?.pointee = shared.region(Int(number), size: Int(size), isMade: isMade != 0, for: handle)
        return SQLITE_OK
    }
    methods.pointee.xShmLock = { file, first, count, flags in
        let handle = OpenFile.handle(file)
        guard handle.isAlive else { return Failure.sharedLock }
        let shared = handle.file.shared ?? SharedMemory()
        (handle.file.shared, handle.shared) = (shared, shared)
        return shared.lock(first..<first + count, flags, by: handle) ? SQLITE_OK : SQLITE_BUSY
    }
    methods.pointee.xShmBarrier = { _ in }
    methods.pointee.xShmUnmap = { file, _ in
        let handle = OpenFile.handle(file)
        if handle.isAlive, handle.shared?.leave(handle) == true { handle.file.shared = nil }
        handle.shared = nil
        return SQLITE_OK
    }
    return methods
}()
