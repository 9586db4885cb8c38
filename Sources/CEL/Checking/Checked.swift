/// An expression whose names are resolved and whose macros are known: what is folded and compiled.
///
/// Immutable.
final class Checked {
    indirect enum Form {
        case constant(Value)
        /// What cannot be done, where that is to be found out only when it is met.
        case failure(String)
        case argument(Int)
        /// A variable of a macro, by its number.
        case local(Int)
        case select(Checked, field: String, isOptional: Bool)
        case has(Checked, field: String)
        case index(Checked, Checked, isOptional: Bool)
        case unary(UnaryOperator, Checked)
        case binary(BinaryOperator, Checked, Checked)
        case logical(isAnd: Bool, [Checked])
        case conditional(Checked, Checked, Checked)
        /// A method's target is its first argument.
        case call(Function, [Checked])
        case list([(value: Checked, isOptional: Bool)])
        case map([(key: Checked, value: Checked, isOptional: Bool)])
        case comprehension(Comprehension)
        /// `cel.bind(local, initial, body)`
        case bind(local: Int, initial: Checked, body: Checked)
        /// `optional.optMap(local, body)`; flat when the body is an optional itself.
        case optionalMap(Checked, local: Int, body: Checked, isFlat: Bool)
    }

    /// A macro that runs over the elements of a list or the entries of a map.
    struct Comprehension {
        enum Kind {
            case all, exists, existsOne, list, filter, sorted, map, mapEntries
        }

        let kind: Kind
        let range: Checked
        /// With two variables: the index or key.
        let keyLocal: Int?
        /// The element; over a map with one variable, the key.
        let valueLocal: Int
        /// Elements for which it is false are left out.
        let condition: Checked?
        let body: Checked
    }

    let form: Form
    let type: StaticType
    let offset: Int
    /// What it takes from outside itself, and how large it is.
    let needs: Needs

    init(_ form: Form, type: StaticType, at offset: Int) {
        self.form = form
        self.type = type
        self.offset = offset
        needs = Needs(form)
    }

    var constant: Value? {
        if case .constant(let value) = form { return value }
        return nil
    }
}
