internal import CSQLite

/// The locks of a database file among the connections of one process
/// (https://sqlite.org/lockingv3.html).
final class FileLocks {
    private var holders: [ObjectIdentifier: Int32] = [:]

    /// Whether a connection has a lock of at least that level.
    func isHeld(atLeast level: Int32) -> Bool { holders.values.contains { $0 >= level } }

    /// Takes a higher lock; false: others are in the way.
    func take(_ level: Int32, by holder: AnyObject) -> Bool {
        let id = ObjectIdentifier(holder)
        let others = holders.filter { $0.key != id }.values
        switch level {
        case SQLITE_LOCK_SHARED:
            guard !others.contains(where: { $0 >= SQLITE_LOCK_PENDING }) else { return false }
        case SQLITE_LOCK_RESERVED:
            guard !others.contains(where: { $0 >= SQLITE_LOCK_RESERVED }) else { return false }
        default:
            guard !others.contains(where: { $0 >= SQLITE_LOCK_RESERVED }) else { return false }
            guard others.isEmpty else {
                holders[id] = SQLITE_LOCK_PENDING
                return false
            }
        }
        holders[id] = max(level, holders[id] ?? 0)
        return true
    }

    /// Goes down to a lower lock.
    func lower(to level: Int32, by holder: AnyObject) {
        let id = ObjectIdentifier(holder)
        holders[id] = level == SQLITE_LOCK_NONE ? nil : min(level, holders[id] ?? level)
    }
}

/// The index of a journal, which connections share (https://sqlite.org/walformat.html).
final class SharedMemory {
    private var regions: [UnsafeMutableRawPointer] = []
    private var readers: [Int32: Set<ObjectIdentifier>] = [:]
    private var writers: [Int32: ObjectIdentifier] = [:]
    /// The connections that have it open.
    private(set) var users: Set<ObjectIdentifier> = []

    deinit {
        for region in regions { region.deallocate() }
    }

    func region(_ number: Int, size: Int, isMade: Bool, for user: AnyObject) -> UnsafeMutableRawPointer? {
        users.insert(ObjectIdentifier(user))
        while isMade, regions.count <= number {
            let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            regions.append(region)
        }
        return regions.indices.contains(number) ? regions[number] : nil
    }

    /// Locks or unlocks slots; false: others are in the way.
    func lock(_ slots: Range<Int32>, _ flags: Int32, by user: AnyObject) -> Bool {
        let id = ObjectIdentifier(user)
        if flags & SQLITE_SHM_UNLOCK != 0 {
            for slot in slots {
                readers[slot]?.remove(id)
                if writers[slot] == id { writers[slot] = nil }
            }
            return true
        }
        let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
        for slot in slots {
            if let writer = writers[slot], writer != id { return false }
            if isExclusive, readers[slot]?.contains(where: { $0 != id }) == true { return false }
        }
        for slot in slots {
            if isExclusive { writers[slot] = id } else { readers[slot, default: []].insert(id) }
        }
        return true
    }

    /// Releases a connection's locks; returns true if it was the last connection.
    func leave(_ user: AnyObject) -> Bool {
        let id = ObjectIdentifier(user)
        for slot in readers.keys { readers[slot]?.remove(id) }
        writers = writers.filter { $0.value != id }
        users.remove(id)
        return users.isEmpty
    }
}
