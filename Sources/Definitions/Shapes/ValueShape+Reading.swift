internal import CEL
internal import Values

extension ValueShape {
    /// The most values of an `enum` that a shape lists; of more it has the types.
    private static let mostConstants = 100

    /// The shape of the values that pass a check.
    init(_ check: Check) {
        if let allowed = check.allowed {
            self.init(allowed)
        } else if let schema = check.schema {
            self.init(schema, of: check.kind.shape)
        } else {
            self = check.kind.shape
        }
    }

    /// The shape of values that have the type of an expression.
    init(_ type: StaticType) {
        switch type {
        case .bool: self = .boolean
        case .int, .uint, .double: self = .number
        case .string, .bytes, .timestamp, .duration: self = .string
        case .list(let element): self = .array(of: ValueShape(element))
        case .map(_, let value): self = .object([], others: ValueShape(value))
        case .dyn, .null, .type, .optional: self = .any
        }
    }

    private init(_ allowed: AllowedValues) {
        if allowed.values.count <= Self.mostConstants {
            self.init(any: allowed.values.map { .constant(Constant($0)) })
        } else {
            self.init(any: allowed.values.map { ValueShape(StaticType(of: $0)) })
        }
    }

    /// The shape of what passes a schema, of values with the shape `outer`.
    ///
    /// A schema that gives no `type` says nothing about values of other types than those that its
    /// keywords are about; so they may be anything that `outer` allows.
    private init(_ schema: JSONSchema, of outer: ValueShape) {
        if let allowed = schema.allowed {
            self.init(allowed)
        } else if let kinds = schema.kinds {
            self.init(any: kinds.map { Self.shape(of: $0, schema) })
        } else if let branches = schema.any ?? schema.one {
            self.init(any: branches.map { ValueShape($0, of: outer) })
        } else {
            switch outer {
            case .object: self = Self.shape(of: .object, schema)
            case .array: self = Self.shape(of: .array, schema)
            default: self = outer
            }
        }
        // What a part of `allOf` says besides.
        for part in schema.all where self == outer { self.init(part, of: outer) }
    }

    private static func shape(of kind: JSONSchema.Kind, _ schema: JSONSchema) -> ValueShape {
        switch kind {
        case .null: .null
        case .boolean: .boolean
        case .number: .number
        case .integer: .integer
        case .string: .string
        case .array:
            // Elements in fixed places differ from those that follow.
            .array(
                of: ValueShape(
                    any: schema.firstItems.map { ValueShape($0, of: .any) }
                        + [schema.items.map { ValueShape($0, of: .any) } ?? .any]
                )
            )
        case .object: object(schema)
        }
    }

    private static func object(_ schema: JSONSchema) -> ValueShape {
        let members = schema.names.all.map { name in
            Member(
                name: name.text,
                shape: name.schema.map { ValueShape($0, of: .any) } ?? .any,
                isRequired: name.isRequired
            )
        }
        guard let others = schema.additional else { return .object(members, others: .any) }
        return .object(members, others: others.isNever ? nil : ValueShape(others, of: .any))
    }
}

extension ValueShape.Constant {
    fileprivate init(_ datum: Datum) {
        switch (datum.kind, datum.tree) {
        case (.null, _): self = .null
        case (.bool, .bool(let flag)): self = .boolean(flag)
        case (.string, .string(let text)): self = .string(text)
        case (.number, _): self = .number(datum.text)
        default: self = .composite(datum.text)
        }
    }
}

extension Check.Kind {
    fileprivate var shape: ValueShape {
        switch self {
        case .any: .any
        case .number: .number
        case .integer: .integer
        case .string: .string
        case .boolean: .boolean
        case .object: .anyObject
        case .array: .array(of: .any)
        }
    }
}

extension GraphDefinition {
    /// Whether values may come to a node over a link, whatever their types.
    private func ties(to node: String) -> Bool { links.contains { $0.to == node } }

    /// What is known of the values of one of its nodes or families.
    public func shape(of node: NodeDefinition) -> ValueShape {
        switch node.kind {
        case .mutable(let rules): ValueShape(rules.check)
        case .derived(let derived): ties(to: node.name) ? .any : ValueShape(derived.type)
        }
    }
}
