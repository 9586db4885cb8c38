extension Compiler {
    mutating func list(_ elements: [(value: Checked, isOptional: Bool)], at offset: Int) throws(BadPattern) {
        guard elements.contains(where: \.isOptional) else {
            for element in elements {
                try value(element.value)
            }
            emit(Instruction(.makeList, a: elements.count), at: offset)
            height += 1 - elements.count
            return
        }
        begin(Instruction(.beginList, a: -1), at: offset)
        for element in elements {
            try value(element.value)
            emit(Instruction(element.isOptional ? .appendOptional : .append), at: element.value.offset)
            height -= 1
        }
        end(.endList, at: offset)
    }

    mutating func map(
        _ entries: [(key: Checked, value: Checked, isOptional: Bool)],
        at offset: Int
    ) throws(BadPattern) {
        guard entries.contains(where: \.isOptional) else {
            for entry in entries {
                try value(entry.key)
                try value(entry.value)
            }
            emit(Instruction(.makeMap, a: entries.count), at: offset)
            height += 1 - 2 * entries.count
            return
        }
        begin(Instruction(.beginMap), at: offset)
        for entry in entries {
            try value(entry.key)
            try value(entry.value)
            emit(Instruction(entry.isOptional ? .insertOptional : .insert), at: entry.key.offset)
            height -= 2
        }
        end(.endMap, at: offset)
    }

    /// Stack while it runs, from the bottom: range, position, outcome (not for lists and maps),
    /// key, element.
    mutating func comprehension(_ comprehension: Checked.Comprehension, at offset: Int) throws(BadPattern) {
        try value(comprehension.range)
        let bottom = height - 1
        emit(Instruction(.iterate), at: comprehension.range.offset)
        height += 1
        switch comprehension.kind {
        case .all: push(.bool(true), at: offset)
        case .exists: push(.bool(false), at: offset)
        case .existsOne: push(.int(0), at: offset)
        case .list, .filter, .sorted: begin(Instruction(.beginList, a: bottom), at: offset)
        case .map, .mapEntries: begin(Instruction(.beginMap), at: offset)
        }
        // Places for key and element, whose values every round replaces.
        if let keyLocal = comprehension.keyLocal {
            slots[keyLocal] = height
            push(.null, at: offset)
        }
        let elementSlot = height
        slots[comprehension.valueLocal] = elementSlot
        push(.null, at: offset)

        let isPair = comprehension.keyLocal != nil
        let next = emit(Instruction(isPair ? .nextPair : .next, a: bottom), at: offset)
        if let condition = comprehension.condition {
            try value(condition)
            emit(Instruction(.branch, a: next), at: condition.offset)
            height -= 1
        }
        let decided = try step(
            comprehension,
            next: next,
            elementSlot: elementSlot,
            outcomeSlot: bottom + 2,
            at: offset
        )
        emit(Instruction(.jump, a: next), at: offset)
        if let decided { setTarget(ofB: decided) }
        setTarget(ofB: next)
        if isPair {
            emit(Instruction(.drop, a: 2), at: offset)
            height -= 2
        } else {
            borrowings.append(Borrowing(range: next..<instructions.count, slot: elementSlot))
            height -= 1
        }
        if comprehension.kind == .sorted {
            end(.endList, at: offset)
            push(slot: bottom, at: offset)
            emitCall(Lists.sortByKeys, argumentCount: 2, at: offset)
        }
        finish(comprehension.kind, at: offset)
    }

    /// The body for one element; answers the instruction that may leave the loop, if there is one.
    private mutating func step(
        _ comprehension: Checked.Comprehension,
        next: Int,
        elementSlot: Int,
        outcomeSlot: Int,
        at offset: Int
    ) throws(BadPattern) -> Int? {
        let body = comprehension.body
        switch comprehension.kind {
        case .all, .exists:
            let start = Int(here)
            let floor = height
            try value(body)
            emit(Instruction(.checkBool), at: body.offset)
            guarded(from: start, stackHeight: floor)
            let step: Operation = comprehension.kind == .all ? .allStep : .existsStep
            defer { height -= 1 }
            return emit(Instruction(step, a: outcomeSlot), at: offset)
        case .existsOne:
            try value(body)
            emit(Instruction(.countStep, a: outcomeSlot), at: body.offset)
            height -= 1
        case .filter:
            try value(body)
            emit(Instruction(.branch, a: next), at: body.offset)
            height -= 1
            push(slot: elementSlot, at: offset)
            emit(Instruction(.append), at: offset)
            height -= 1
        case .list, .sorted:
            try value(body)
            emit(Instruction(.append), at: body.offset)
            height -= 1
        case .map:
            push(slot: elementSlot - 1, at: offset)
            try value(body)
            emit(Instruction(.insert), at: body.offset)
            height -= 2
        case .mapEntries:
            try value(body)
            emit(Instruction(.insertEntries), at: body.offset)
            height -= 1
        }
        return nil
    }

    private mutating func finish(_ kind: Checked.Comprehension.Kind, at offset: Int) {
        switch kind {
        case .all, .exists:
            emit(Instruction(.raise), at: offset)
        case .existsOne:
            emit(Instruction(.isOne), at: offset)
        case .list, .filter:
            end(.endList, at: offset)
        case .map, .mapEntries:
            end(.endMap, at: offset)
        case .sorted:
            break
        }
        emit(Instruction(.slide, a: 2), at: offset)
        height -= 2
    }

    private mutating func begin(_ instruction: Instruction, at offset: Int) {
        emit(instruction, at: offset)
        builderCount += 1
    }

    private mutating func end(_ operation: Operation, at offset: Int) {
        emit(Instruction(operation), at: offset)
        builderCount -= 1
        height += 1
    }
}
