import TestSupport

/// One file: what reads find in it, and what of that is on the platter.
final class DiskFile {
    /// What programs see.
    private var seen: Memory
    /// What is there after a power cut, apart from ``unsynced``.
    private var durable: Memory
    /// Sectors that a power cut may keep or lose.
    private var unsynced: Set<Int> = []
    private let sector: Int

    // What SQLite asks of a file besides its bytes; a process that ends leaves nothing of it.
    var locks = FileLocks()
    var shared: SharedMemory?

    init(sector: Int) {
        self.sector = sector
        seen = Memory()
        durable = Memory()
    }

    /// A copy of what another file has, all of it synchronised.
    init(_ other: DiskFile, sector: Int) {
        self.sector = sector
        seen = Memory(other.bytes)
        durable = Memory(other.bytes)
    }

    /// Lends what programs see.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(seen.bytes) }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard !source.isEmpty else { return }
        let first = min(offset, seen.count) / sector
        seen.copy(source, at: offset)
        for place in first...(offset + source.count - 1) / sector { unsynced.insert(place) }
    }

    func truncate(to size: Int) {
        guard size < seen.count else { return }
        for place in size / sector...(seen.count - 1) / sector { unsynced.insert(place) }
        seen.resize(to: size)
    }

    func synchronise() {
        for place in unsynced { settle(place) }
        durable.resize(to: seen.count)
        unsynced.removeAll(keepingCapacity: true)
    }

    /// A synchronisation that was not waited for: some of it has happened.
    func synchroniseHalf(_ dice: inout SeededGenerator) {
        for place in unsynced.sorted() where dice.chance(1, in: 2) { settle(place) }
    }

    /// A synchronisation that failed: of what it should have made durable, some is, and the rest
    /// will not be by a later one either, although reads still show it
    /// (https://wiki.postgresql.org/wiki/Fsync_Errors).
    func synchroniseBadly(_ dice: inout SeededGenerator) {
        synchroniseHalf(&dice)
        unsynced = []
    }

    /// The machine went down: any of the sectors that were not synchronised are lost.
    func cut(_ dice: inout SeededGenerator) {
        for place in unsynced.sorted() where dice.chance(1, in: 2) { settle(place) }
        // The size is written apart from the bytes.
        if !unsynced.isEmpty, dice.chance(1, in: 2) { durable.resize(to: seen.count) }
        seen = Memory(UnsafeRawBufferPointer(durable.bytes))
        unsynced = []
    }

    func flip(bit: Int) {
        // In one statement it ends the compiler under the thread sanitizer (Swift 6.3.1).
        let bytes = seen.bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        synchronise()
    }

    /// Brings one sector to the platter.
    private func settle(_ place: Int) {
        let start = place * sector
        let end = min(start + sector, seen.count)
        if start < end { durable.copy(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), at: start) }
    }
}
