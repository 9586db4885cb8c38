/// Names of one scope: of two that would be the same, the later one gets a number.
struct UniqueNames {
    private var taken: Set<String>

    init(reserved: Set<String>) {
        taken = reserved
    }

    mutating func add(_ name: String) -> String {
        var (unique, number) = (name, 1)
        while !taken.insert(unique).inserted {
            number += 1
            // A name in backticks becomes one without them.
            unique = name.filter { $0 != "`" } + "\(number)"
        }
        return unique
    }
}

extension String {
    func indented(by count: Int) -> String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : String(repeating: " ", count: count) + $0 }
            .joined(separator: "\n")
    }
}
