/// What names stand for at one place of an expression: macros' variables, arguments and types.
struct Scope {
    let variables: [Variable]
    /// The namespace in which names are looked up first.
    private let container: String
    private var positions: [String: Int] = [:]
    /// In the names of variables and types: a longer chain of fields is not a name.
    let mostDots: Int
    /// The variables of the macros around the place, outermost first.
    private(set) var locals: [(name: String, number: Int, type: StaticType)] = []
    private var localCount = 0

    init(_ variables: [Variable], container: String) {
        self.variables = variables
        self.container = container
        // The first of equal names counts.
        for (position, variable) in variables.enumerated().reversed() { positions[variable.name] = position }
        mostDots = variables.lazy.map { Self.dots($0.name) }.reduce(Self.dotsOfTypes, max)
    }

    private static func dots(_ name: String) -> Int {
        name.utf8.count { $0 == UInt8(ascii: ".") }
    }

    /// A macro's variable, which hides everything of the same name until it is removed.
    mutating func declare(_ name: String, type: StaticType) -> Int {
        localCount += 1
        locals.append((name, localCount, type))
        return localCount
    }

    /// Removes the variables that were declared last.
    mutating func removeLocals(_ count: Int) { locals.removeLast(count) }

    /// What a name stands for: a macro's variable, an argument, a type.
    func resolve(_ name: String, isAbsolute: Bool, at offset: Int) -> Checked? {
        if !isAbsolute, let local = locals.last(where: { $0.name == name }) {
            return Checked(.local(local.number), type: local.type, at: offset)
        }
        for candidate in candidates(for: name, isAbsolute: isAbsolute) {
            if let position = positions[candidate] {
                return Checked(.argument(position), type: variables[position].type, at: offset)
            }
            if let type = Self.typeNames[candidate] {
                return Checked(.constant(.type(type)), type: .type, at: offset)
            }
        }
        return nil
    }

    /// The name within the container, then outwards.
    func candidates(for name: String, isAbsolute: Bool) -> [String] {
        guard !isAbsolute, !container.isEmpty else { return [name] }
        var parts = container.split(separator: ".")
        var names: [String] = []
        while !parts.isEmpty {
            names.append(parts.joined(separator: ".") + "." + name)
            parts.removeLast()
        }
        return names + [name]
    }

    func isLocal(root name: String, _ isAbsolute: Bool) -> Bool {
        guard !isAbsolute else { return false }
        let root = name.prefix { $0 != "." }
        return locals.contains { $0.name == root }
    }

    private static let typeNames: [String: TypeName] = {
        let types: [TypeName] = [
            .null, .bool, .int, .uint, .double, .string, .bytes, .list, .map, .timestamp, .duration, .type,
            .optional,
        ]
        return Dictionary(uniqueKeysWithValues: types.map { ($0.rawValue, $0) })
    }()

    private static let dotsOfTypes = typeNames.keys.lazy.map(dots).max() ?? 0
}
