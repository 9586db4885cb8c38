/// A list or map that is being collected.
enum Builder {
    case list([Value])
    case map(ValueMap.Builder)
}

extension Machine {
    /// Instructions that are not worth a place in the main loop.
    @inline(never)
    mutating func seldom(
        _ instruction: UnsafePointer<Instruction>,
        _ pc: Int,
        _ sp: UnsafeMutablePointer<Value>
    ) throws(Failure) -> (Int, UnsafeMutablePointer<Value>) {
        let (a, b) = (Int(instruction.pointee.a), Int(instruction.pointee.b))
        switch instruction.pointee.operation {
        case .call:
            return (pc, try call(a, count: b, sp))
        case .match:
            let operand =
                instruction.pointee.left == .stack ? UnsafePointer(sp - 1) : place(instruction.pointee)
            let result = try match(operand.pointee, code.matchers[b])
            if instruction.pointee.left == .stack {
                (sp - 1).pointee = result
                return (pc, sp)
            }
            sp.initialize(to: result)
            return (pc, sp + 1)
        case .makeList:
            try meter.spend(a)
            let list = ValueList(Array(UnsafeBufferPointer(start: sp - a, count: a)))
            return (pc, try put(.list(list), sp, replacing: a))
        case .makeMap:
            return (pc, try put(makeMap(sp - 2 * a, count: a), sp, replacing: 2 * a))
        case .beginList:
            builders.append(.list([]))
            return (pc, sp)
        case .beginMap:
            builders.append(.map(ValueMap.Builder()))
            return (pc, sp)
        case .append, .appendOptional:
            try append(sp - 1, isOptional: instruction.pointee.operation == .appendOptional)
            (sp - 1).deinitialize(count: 1)
            return (pc, sp - 1)
        case .insert, .insertOptional:
            try insert(sp - 2, isOptional: instruction.pointee.operation == .insertOptional)
            (sp - 2).deinitialize(count: 2)
            return (pc, sp - 2)
        case .insertEntries:
            try insertEntries((sp - 1).pointee)
            (sp - 1).deinitialize(count: 1)
            return (pc, sp - 1)
        case .endList, .endMap:
            return (pc, try put(finishBuilder(), sp, replacing: 0))
        default:
            return try loop(instruction.pointee, pc, sp)
        }
    }

    /// Instructions of macros.
    private mutating func loop(
        _ instruction: Instruction,
        _ pc: Int,
        _ sp: UnsafeMutablePointer<Value>
    ) throws(Failure) -> (Int, UnsafeMutablePointer<Value>) {
        let (a, b) = (Int(instruction.a), Int(instruction.b))
        switch instruction.operation {
        case .iterate:
            switch (sp - 1).pointee {
            case .list, .map: break
            default:
                throw .type("a macro runs over a list or a map, not \((sp - 1).pointee.typeName.rawValue)")
            }
            sp.initialize(to: .int(0))
            return (pc, sp + 1)
        case .next, .nextPair:
            let next = advance(slot: a, isPair: instruction.operation == .nextPair, sp)
            return next.map { (pc, $0) } ?? (b, sp)
        case .allStep, .existsStep:
            let decider = instruction.operation == .existsStep
            let outcome = (sp - 1).move()
            if case .bool(let flag) = outcome {
                if flag == decider {
                    stack[a] = outcome
                    return (b, sp - 1)
                }
            } else if stack[a].failureNumber == nil {
                stack[a] = outcome
            }
            return (pc, sp - 1)
        case .countStep:
            guard case .bool(let flag) = (sp - 1).pointee else { throw (sp - 1).pointee.isNoBool }
            if flag, case .int(let count) = stack[a] {
                stack[a] = .int(count + 1)
            }
            return (pc, sp - 1)
        case .isOne:
            if case .int(let count) = (sp - 1).pointee {
                (sp - 1).pointee = .bool(count == 1)
            }
            return (pc, sp)
        case .unwrap:
            guard case .optional(let optional) = (sp - 1).pointee else {
                throw .type("an optional is needed, not \((sp - 1).pointee.typeName.rawValue)")
            }
            guard let value = optional.value else { return (a, sp) }
            (sp - 1).pointee = value
            return (pc, sp)
        case .wrap:
            let optional = Value.optional(OptionalValue((sp - 1).pointee))
            guard optional.nestingDepth <= Value.maximumNestingDepth else { throw .depth }
            (sp - 1).pointee = optional
            return (pc, sp)
        case .checkOptional:
            guard case .optional = (sp - 1).pointee else {
                throw .type("an optional is needed, not \((sp - 1).pointee.typeName.rawValue)")
            }
            return (pc, sp)
        default:
            preconditionFailure("this instruction belongs to the main loop")
        }
    }

    private func place(_ instruction: Instruction) -> UnsafePointer<Value> {
        switch instruction.left {
        case .constant: UnsafePointer(code.constants.baseAddress! + Int(instruction.a))
        case .argument: arguments + Int(instruction.a)
        default: UnsafePointer(stack + Int(instruction.a))
        }
    }

    // MARK: Functions

    private mutating func call(
        _ number: Int,
        count: Int,
        _ sp: UnsafeMutablePointer<Value>
    ) throws(Failure) -> UnsafeMutablePointer<Value> {
        let values = UnsafeBufferPointer(start: UnsafePointer(sp - count), count: count)
        let result = try code.functions[number].call(values, &meter)
        return try put(result, sp, replacing: count)
    }

    private mutating func match(_ value: Value, _ matcher: any RegexMatcher) throws(Failure) -> Value {
        guard case .string(let text) = value else { throw .noOverload("matches", [value.typeName, .string]) }
        try meter.spend(bytes: text.utf8.count)
        return .bool(matcher.isFound(in: text))
    }

    // MARK: Containers

    /// Puts a new value in place of the `count` topmost ones, unless it nests too deeply.
    private func put(
        _ value: Value,
        _ sp: UnsafeMutablePointer<Value>,
        replacing count: Int
    ) throws(Failure) -> UnsafeMutablePointer<Value> {
        guard value.nestingDepth <= Value.maximumNestingDepth else { throw .depth }
        let sp = sp - count
        sp.deinitialize(count: count)
        sp.initialize(to: value)
        return sp + 1
    }

    private mutating func makeMap(_ pairs: UnsafeMutablePointer<Value>, count: Int) throws(Failure) -> Value {
        try meter.spend(count)
        var builder = ValueMap.Builder(capacity: count)
        for position in 0..<count {
            try builder.add(pairs[2 * position], pairs[2 * position + 1])
        }
        return .map(builder.finish())
    }

    private mutating func append(_ value: UnsafeMutablePointer<Value>, isOptional: Bool) throws(Failure) {
        try meter.spend(1)
        guard let value = try isOptional ? value.pointee.unwrapped() : value.pointee else { return }
        guard case .list(var elements) = builders.removeLast() else { return }
        elements.append(value)
        builders.append(.list(elements))
    }

    private mutating func insert(_ pair: UnsafeMutablePointer<Value>, isOptional: Bool) throws(Failure) {
        try meter.spend(1)
        guard let value = try isOptional ? pair[1].unwrapped() : pair[1] else { return }
        guard case .map(var builder) = builders.removeLast() else { return }
        defer { builders.append(.map(builder)) }
        try builder.add(pair[0], value)
    }

    private mutating func insertEntries(_ value: Value) throws(Failure) {
        guard case .map(let entries) = value else {
            throw .type("a map is needed, not \(value.typeName.rawValue)")
        }
        try meter.spend(entries.count)
        guard case .map(var builder) = builders.removeLast() else { return }
        defer { builders.append(.map(builder)) }
        for entry in entries {
            try builder.add(entry.key, entry.value)
        }
    }

    private mutating func finishBuilder() -> Value {
        switch builders.removeLast() {
        case .list(let elements): .list(ValueList(elements))
        case .map(let builder): .map(builder.finish())
        }
    }

    /// Pushes the element under the position in `slot + 1` and counts on; nil at the end.
    private func advance(
        slot: Int,
        isPair: Bool,
        _ sp: UnsafeMutablePointer<Value>
    ) -> UnsafeMutablePointer<Value>? {
        guard case .int(let counted) = stack[slot + 1] else { return nil }
        let position = Int(counted)
        let (key, value): (Value, Value)
        switch stack[slot] {
        case .list(let list):
            guard position < list.count else { return nil }
            (key, value) = (.int(counted), list[position])
        case .map(let map):
            guard position < map.count else { return nil }
            let entry = map[position]
            (key, value) = (entry.key, isPair ? entry.value : entry.key)
        default:
            return nil
        }
        stack[slot + 1] = .int(counted + 1)
        guard isPair else {
            sp.initialize(to: value)
            return sp + 1
        }
        sp.initialize(to: key)
        (sp + 1).initialize(to: value)
        return sp + 2
    }
}

extension ValueMap.Builder {
    /// Adds an entry of a map that an expression makes.
    mutating func add(_ key: Value, _ value: Value) throws(Failure) {
        guard key.isMapKey else { throw .type("a map key may not be of type \(key.typeName.rawValue)") }
        guard append(key: key, value) else { throw .badValue("the map has a key twice") }
    }
}
