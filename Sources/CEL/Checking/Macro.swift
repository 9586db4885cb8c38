/// What a macro's name and number of arguments say about it.
struct Macro {
    struct Key: Hashable {
        let name: String
        let count: Int
    }

    let kind: Checked.Comprehension.Kind
    var hasTwoVariables = false
    var hasCondition = false

    /// Whether the body is a condition itself.
    var isPredicate: Bool {
        switch kind {
        case .all, .exists, .existsOne, .filter: true
        case .list, .sorted, .map, .mapEntries: false
        }
    }

    static let table: [Key: Macro] = [
        Key(name: "all", count: 2): Macro(kind: .all),
        Key(name: "exists", count: 2): Macro(kind: .exists),
        Key(name: "exists_one", count: 2): Macro(kind: .existsOne),
        Key(name: "existsOne", count: 2): Macro(kind: .existsOne),
        Key(name: "filter", count: 2): Macro(kind: .filter),
        Key(name: "map", count: 2): Macro(kind: .list),
        Key(name: "map", count: 3): Macro(kind: .list, hasCondition: true),
        Key(name: "sortBy", count: 2): Macro(kind: .sorted),
        Key(name: "all", count: 3): Macro(kind: .all, hasTwoVariables: true),
        Key(name: "exists", count: 3): Macro(kind: .exists, hasTwoVariables: true),
        Key(name: "exists_one", count: 3): Macro(kind: .existsOne, hasTwoVariables: true),
        Key(name: "existsOne", count: 3): Macro(kind: .existsOne, hasTwoVariables: true),
        Key(name: "transformList", count: 3): Macro(kind: .list, hasTwoVariables: true),
        Key(name: "transformList", count: 4): Macro(kind: .list, hasTwoVariables: true, hasCondition: true),
        Key(name: "transformMap", count: 3): Macro(kind: .map, hasTwoVariables: true),
        Key(name: "transformMap", count: 4): Macro(kind: .map, hasTwoVariables: true, hasCondition: true),
        Key(name: "transformMapEntry", count: 3): Macro(kind: .mapEntries, hasTwoVariables: true),
        Key(name: "transformMapEntry", count: 4): Macro(
            kind: .mapEntries,
            hasTwoVariables: true,
            hasCondition: true
        ),
    ]

    private static let names = Set(table.keys.map(\.name)).union(["has", "optMap", "optFlatMap", "cel.bind"])

    /// Functions and macros, for did-you-mean hints.
    static let callableNames = Library.functionNames + names.sorted()
}
