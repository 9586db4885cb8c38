internal import ReactiveGraph

/// Families by the parts of their names between the dots: finds those that may have a name, or a
/// name in common with a pattern, without looking at all others.
///
/// It looks only at what a part begins with, so what it finds must still be compared.
struct PatternTrie {
    /// A family, and its place in a list.
    package struct Family {
        let pattern: NamePattern
        let place: Int
    }

    /// The families whose names begin in one way.
    private final class Branch {
        /// By the next part, if it has no placeholder.
        var words: [Substring: Branch] = [:]
        /// By what stands before the placeholder of the next part, in order.
        var starts: [(start: Substring, branch: Branch)] = []
        /// Those whose names end here.
        var families: [Family] = []

        /// The place of the first of `starts` that is not before `start`.
        func place(of start: Substring) -> Int {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if starts[middle].start < start { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private let root = Branch()

    func insert(_ family: Family) {
        var branch = root
        for part in Self.parts(of: family.pattern.text) {
            guard let start = Self.start(of: part) else {
                let next = branch.words[part] ?? Branch()
                branch.words[part] = next
                branch = next
                continue
            }
            let place = branch.place(of: start)
            if place == branch.starts.count || branch.starts[place].start != start {
                branch.starts.insert((start, Branch()), at: place)
            }
            branch = branch.starts[place].branch
        }
        branch.families.append(family)
    }

    /// The families that may have a name or a pattern in common with `text`.
    func candidates(for text: String) -> [Family] {
        var branches = [root]
        for part in Self.parts(of: text) {
            branches = branches.flatMap { Self.next($0, part) }
            if branches.isEmpty { return [] }
        }
        return branches.flatMap(\.families)
    }

    private static func next(_ branch: Branch, _ part: Substring) -> [Branch] {
        let start = start(of: part)
        var found: [Branch] = []
        // Placeholders that begin as the part does.
        var beginning = start ?? part
        while !branch.starts.isEmpty {
            let place = branch.place(of: beginning)
            if place < branch.starts.count, branch.starts[place].start == beginning {
                found.append(branch.starts[place].branch)
            }
            if beginning.popLast() == nil { break }
        }
        guard let start else { return found + (branch.words[part].map { [$0] } ?? []) }
        // What begins as the part does before its placeholder.
        for next in branch.starts[branch.place(of: start)...] {
            guard next.start.hasPrefix(start) else { break }
            if next.start != start { found.append(next.branch) }
        }
        return found + branch.words.filter { $0.key.hasPrefix(start) }.map(\.value)
    }

    private static func parts(of text: String) -> [Substring] {
        text.split(separator: ".", omittingEmptySubsequences: false)
    }

    /// What stands before the placeholder; nil: there is none.
    private static func start(of part: Substring) -> Substring? {
        part.firstIndex(of: "{").map { part[..<$0] }
    }
}
