/// A list or map that is being collected.
struct Collected {
    var elements: [Value] = []
    var entries: ValueMap.Builder?
}

extension Machine {
    /// Instructions that are not worth a place in the main loop; answers the position to go on at.
    @inline(never)
    mutating func rare(_ instruction: Instruction, _ position: Int) throws(Failure) -> Int {
        let (a, b) = (Int(instruction.a), Int(instruction.b))
        let top = unsafe stack + Int(instruction.height)
        switch instruction.operation {
        case .call:
            try unsafe call(a, count: b, top)
        case .match:
            let operand = unsafe operand(instruction.left, instruction.a).pointee
            let isFound = try match(operand, code.matchers[b])
            unsafe replace(Int(instruction.pops), below: top, with: isFound)
        case .join:
            let texts = unsafe UnsafeBufferPointer(start: UnsafePointer(top - a), count: a)
            unsafe replace(a, below: top, with: try meter.joined(texts))
        case .fail:
            guard case .string(let message) = unsafe constants[a] else { return position }
            throw .type(message)
        case .makeList:
            try meter.spend(elements: a)
            let list = unsafe ValueList(Array(UnsafeBufferPointer(start: top - a, count: a)))
            try unsafe put(.list(list), top, replacing: a)
        case .makeMap:
            try unsafe put(makeMap(top - 2 * a, count: a), top, replacing: 2 * a)
        case .beginList:
            try meter.spend(Price.builder)
            beginList(a)
        case .beginMap:
            try meter.spend(Price.builder)
            side.begin(Collected(entries: ValueMap.Builder()))
        case .appendOptional:
            try meter.spend(Price.append)
            if let value = try unsafe (top - 1).pointee.unwrapped() { side.append(value) }
            unsafe (top - 1).deinitialize(count: 1)
        case .insert, .insertOptional:
            try unsafe insert(top - 2, isOptional: instruction.operation == .insertOptional)
            unsafe (top - 2).deinitialize(count: 2)
        case .insertEntries:
            try unsafe insertEntries((top - 1).pointee)
            unsafe (top - 1).deinitialize(count: 1)
        case .endList, .endMap:
            try unsafe put(finishBuilder(), top, replacing: 0)
        default:
            return try unsafe loop(instruction, position, top)
        }
        return position
    }

    /// Instructions of macros.
    private mutating func loop(
        _ instruction: Instruction,
        _ position: Int,
        _ top: UnsafeMutablePointer<Value>
    ) throws(Failure) -> Int {
        let (a, b) = (Int(instruction.a), Int(instruction.b))
        switch instruction.operation {
        case .iterate:
            switch unsafe (top - 1).pointee {
            case .list, .map: break
            default:
                throw .type(
                    unsafe "a macro runs over a list or a map, not \((top - 1).pointee.typeName.rawValue)"
                )
            }
            unsafe top.initialize(to: .int(0))
        case .allStep, .existsStep:
            let decider = instruction.operation == .existsStep
            let outcome = unsafe (top - 1).move()
            if case .bool(let flag) = outcome {
                if flag == decider {
                    unsafe stack[a] = outcome
                    return b
                }
            } else if unsafe stack[a].failureNumber == nil {
                unsafe stack[a] = outcome
            }
        case .countStep:
            guard case .bool(let flag) = unsafe (top - 1).pointee else {
                throw unsafe (top - 1).pointee.isNoBool
            }
            if flag, case .int(let count) = unsafe stack[a] {
                unsafe stack[a] = .int(count + 1)
            }
        case .isOne:
            if case .int(let count) = unsafe (top - 1).pointee {
                unsafe (top - 1).pointee = .bool(count == 1)
            }
        case .unwrap:
            try meter.spend(2)
            guard let value = try unsafe (top - 1).pointee.unwrapped() else { return a }
            unsafe (top - 1).pointee = value
        case .wrap:
            try meter.spend(Price.object)
            let optional = unsafe Value.optional(OptionalValue((top - 1).pointee))
            guard optional.nestingDepth <= Value.maximumNestingDepth else { throw .depth }
            unsafe (top - 1).pointee = optional
        case .orUnwrapped, .orSkip:
            try meter.spend(2)
            if let value = try unsafe (top - 1).pointee.unwrapped() {
                if instruction.operation == .orUnwrapped { unsafe (top - 1).pointee = value }
                return a
            }
            unsafe (top - 1).deinitialize(count: 1)
        case .checkOptional:
            _ = try unsafe (top - 1).pointee.unwrapped()
        default:
            preconditionFailure("this instruction belongs to the main loop")
        }
        return position
    }

    // MARK: Functions

    private mutating func call(
        _ number: Int,
        count: Int,
        _ top: UnsafeMutablePointer<Value>
    ) throws(Failure) {
        try meter.spend(Price.call)
        let values = unsafe UnsafeBufferPointer(start: UnsafePointer(top - count), count: count)
        let result = try unsafe code.functions[number].call(values, &meter)
        if !result.isScalar { try meter.spend(memoryOf: result) }
        try unsafe put(result, top, replacing: count)
    }

    private mutating func match(_ value: Value, _ matcher: any RegexMatcher) throws(Failure) -> Value {
        guard case .string(let text) = value else { throw .noOverload("matches", [value.typeName, .string]) }
        return .bool(try matcher.search(text, &meter))
    }

    // MARK: Containers

    /// Puts a new value in place of the `count` topmost ones, unless it nests too deeply.
    private func put(
        _ value: Value,
        _ top: UnsafeMutablePointer<Value>,
        replacing count: Int
    ) throws(Failure) {
        guard value.nestingDepth <= Value.maximumNestingDepth else { throw .depth }
        unsafe replace(count, below: top, with: value)
    }

    /// Puts a value in place of the `count` topmost ones.
    @inline(__always)
    private func replace(_ count: Int, below top: UnsafeMutablePointer<Value>, with value: consuming Value) {
        let place = unsafe top - count
        unsafe place.deinitialize(count: count)
        unsafe place.initialize(to: value)
    }

    private mutating func makeMap(_ pairs: UnsafeMutablePointer<Value>, count: Int) throws(Failure) -> Value {
        try meter.spend(Price.object)
        var builder = ValueMap.Builder(capacity: count)
        for position in 0..<count {
            try unsafe builder.add(pairs[2 * position], pairs[2 * position + 1], &meter)
        }
        return .map(builder.finish())
    }

    /// Begins a list; with room for the elements of the list at a slot, if it is short.
    private mutating func beginList(_ slot: Int) {
        var builder = Collected()
        if slot >= 0, case .list(let range) = unsafe stack[slot] {
            builder.elements.reserveCapacity(min(range.count, 32))
        }
        side.begin(builder)
    }

    private mutating func insert(_ pair: UnsafeMutablePointer<Value>, isOptional: Bool) throws(Failure) {
        guard let value = try unsafe isOptional ? pair[1].unwrapped() : pair[1] else { return }
        try unsafe side.builder.entries?.add(pair[0], value, &meter)
    }

    private mutating func insertEntries(_ value: Value) throws(Failure) {
        guard case .map(let entries) = value else {
            throw .type("a map is needed, not \(value.typeName.rawValue)")
        }
        for entry in entries {
            try unsafe side.builder.entries?.add(entry.key, entry.value, &meter)
        }
    }

    private mutating func finishBuilder() -> Value {
        var builder = side.end()
        return builder.entries.take().map { .map($0.finish()) } ?? .list(ValueList(builder.elements))
    }
}

extension ValueMap.Builder {
    /// Adds an entry of a map that an expression makes; the whole key is read, and paid for.
    mutating func add(_ key: Value, _ value: Value, _ meter: inout Meter) throws(Failure) {
        try meter.spend(Price.entry)
        guard key.isMapKey else { throw .type("a map key may not be of type \(key.typeName.rawValue)") }
        if case .string(let text) = key { try meter.spend(bytes: text.utf8.count) }
        guard append(key: key, value) else { throw .badValue("the map has a duplicate key") }
    }
}
