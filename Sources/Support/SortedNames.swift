/// Names in the order of their bytes, any number of them: adding, removing and finding a place cost
/// a search and a short move.
///
/// The names lie in chunks. Neither generic nor a structure, because it is used in other modules.
///
/// Invariants: no chunk is empty, or has more than `2 * half` names; every name of a chunk is
/// before every name of the next.
package final class SortedNames {
    private static var half: Int { 128 }
    private var chunks: ContiguousArray<ContiguousArray<String>> = []
    /// How many names there are.
    package private(set) var count = 0

    package init() {}

    /// Adds a name.
    ///
    /// - Returns: whether it was not there.
    @discardableResult
    package func insert(_ name: String) -> Bool {
        // Names often come in their order: then all chunks are full.
        if let last = chunks.last?.last, last < name {
            if chunks[chunks.count - 1].count == 2 * Self.half { chunks.append([]) }
            chunks[chunks.count - 1].append(name)
            count += 1
            return true
        }
        guard !chunks.isEmpty else {
            chunks = [[name]]
            count = 1
            return true
        }
        var chunk = self.chunk(of: name)
        var place = Self.place(of: name, in: chunks[chunk])
        if place < chunks[chunk].count, chunks[chunk][place] == name { return false }
        if chunks[chunk].count == 2 * Self.half {
            let rest = ContiguousArray(chunks[chunk][Self.half...])
            chunks[chunk].removeSubrange(Self.half...)
            chunks.insert(rest, at: chunk + 1)
            if place > Self.half { (chunk, place) = (chunk + 1, place - Self.half) }
        }
        chunks[chunk].insert(name, at: place)
        count += 1
        return true
    }

    /// Takes a name out.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    package func remove(_ name: String) -> Bool {
        guard !chunks.isEmpty else { return false }
        let chunk = self.chunk(of: name)
        let place = Self.place(of: name, in: chunks[chunk])
        guard place < chunks[chunk].count, chunks[chunk][place] == name else { return false }
        chunks[chunk].remove(at: place)
        count -= 1
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
        } else if chunk + 1 < chunks.count, chunks[chunk].count + chunks[chunk + 1].count <= Self.half {
            chunks[chunk] += chunks[chunk + 1]
            chunks.remove(at: chunk + 1)
        }
        return true
    }

    /// The first name; nil if there is none.
    package var first: String? { chunks.first?.first }

    /// Whether the name is there.
    package func contains(_ name: String) -> Bool {
        guard !chunks.isEmpty else { return false }
        let chunk = chunks[chunk(of: name)]
        let place = Self.place(of: name, in: chunk)
        return place < chunk.count && chunk[place] == name
    }

    /// Goes through the names that begin with `prefix` and come after `after`, in their order,
    /// until `visit` returns false.
    package func visit(prefix: String = "", after: String? = nil, _ visit: (String) -> Bool) {
        guard !chunks.isEmpty else { return }
        let start = max(prefix, after ?? "")
        var chunk = self.chunk(of: start)
        var place = Self.place(of: start, in: chunks[chunk])
        while chunk < chunks.count {
            while place < chunks[chunk].count {
                let name = chunks[chunk][place]
                guard name.utf8.starts(with: prefix.utf8) else { return }
                if name != after, !visit(name) { return }
                place += 1
            }
            chunk += 1
            place = 0
        }
    }

    /// The names that match a name or glob, in their order.
    package func matching(_ pattern: String) -> [String] {
        var found: [String] = []
        visit(prefix: Glob.prefix(of: pattern)) { name in
            if Glob.matches(name, pattern) { found.append(name) }
            return true
        }
        return found
    }

    /// The chunk in which the name is, or would be.
    private func chunk(of name: String) -> Int {
        var (low, high) = (0, chunks.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if name < chunks[middle][0] { high = middle - 1 } else { low = middle }
        }
        return low
    }

    /// The first place in a chunk whose name is not before `name`.
    private static func place(of name: String, in chunk: ContiguousArray<String>) -> Int {
        var (low, high) = (0, chunk.count)
        while low < high {
            let middle = (low + high) / 2
            if chunk[middle] < name { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
