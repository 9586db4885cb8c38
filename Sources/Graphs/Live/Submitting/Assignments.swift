public import Values

/// One node and its new value.
public struct Assignment {
    public let node: NamedNode
    public let value: Datum

    public init(_ node: NamedNode, _ value: Datum) {
        self.node = node
        self.value = value
    }
}

/// The sets of a commit; a single one, the usual case, needs no array.
public struct Assignments {
    private(set) var first: Assignment?
    private var rest: [Assignment]?

    /// No sets.
    public init() {}

    /// The number of sets.
    public var count: Int { first == nil ? 0 : 1 + (rest?.count ?? 0) }

    /// Whether there is exactly one.
    var isSingle: Bool { first != nil && rest == nil }

    /// Adds one at the end.
    public mutating func append(_ assignment: consuming Assignment) {
        if first == nil {
            first = assignment
        } else if rest == nil {
            rest = [assignment]
        } else {
            rest?.append(assignment)
        }
    }

    /// The same, with family members looked up again.
    var renewed: Assignments {
        var renewed = Assignments()
        forEach { renewed.append(Assignment($0.node.present, $0.value)) }
        return renewed
    }

    /// Their nodes; copies no value.
    @inline(__always)
    func forEachNode<Failure: Error>(_ visit: (NamedNode) throws(Failure) -> Void) throws(Failure) {
        guard let node = first?.node else { return }
        try visit(node)
        guard let rest else { return }
        for assignment in rest { try visit(assignment.node) }
    }

    @inline(__always)
    package func forEach<Failure: Error>(_ visit: (Assignment) throws(Failure) -> Void) throws(Failure) {
        guard let first else { return }
        try visit(first)
        guard let rest else { return }
        for assignment in rest { try visit(assignment) }
    }
}
