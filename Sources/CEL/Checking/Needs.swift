/// What a checked expression takes from outside itself: noted when it is made, from what its parts
/// take.
struct Needs {
    /// The arguments that it takes, a bit for each; the last bit is for all from the 64th on.
    private(set) var arguments: UInt64 = 0
    /// Variables of macros around it, by their numbers.
    private(set) var locals: Set<Int> = []
    /// How many expressions it is made of, itself included.
    private(set) var size = 1

    /// Whether it needs no argument and no variable of a macro outside itself.
    var isClosed: Bool { arguments == 0 && locals.isEmpty }

    init(_ form: Checked.Form) {
        switch form {
        case .constant, .failure: break
        case .argument(let position): arguments = Self.bit(of: position)
        case .local(let number): locals = [number]
        case .select(let operand, _, _), .has(let operand, _), .unary(_, let operand): add(operand)
        case .index(let left, let right, _), .binary(_, let left, let right):
            add(left)
            add(right)
        case .logical(_, let operands), .call(_, let operands):
            for operand in operands { add(operand) }
        case .conditional(let condition, let then, let otherwise):
            add(condition)
            add(then)
            add(otherwise)
        case .list(let elements):
            for element in elements { add(element.value) }
        case .map(let entries):
            for entry in entries {
                add(entry.key)
                add(entry.value)
            }
        case .comprehension(let comprehension):
            if let condition = comprehension.condition { add(condition) }
            add(comprehension.body)
            if let key = comprehension.keyLocal { locals.remove(key) }
            locals.remove(comprehension.valueLocal)
            add(comprehension.range)
        case .bind(let local, let initial, let body), .optionalMap(let initial, let local, let body, _):
            add(body)
            locals.remove(local)
            add(initial)
        }
    }

    static func bit(of position: Int) -> UInt64 { 1 << UInt64(min(position, 63)) }

    private mutating func add(_ part: Checked) {
        arguments |= part.needs.arguments
        size += part.needs.size
        if locals.isEmpty {
            locals = part.needs.locals
        } else if !part.needs.locals.isEmpty {
            locals.formUnion(part.needs.locals)
        }
    }
}
