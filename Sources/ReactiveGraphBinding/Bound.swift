/// A stored property that notifies when it is set, so that nodes can be bound to it (G-96).
///
/// ```swift
/// final class Thermostat: Bindable {
///     let bindings: Bindings
///     @Bound var target = 21.0
///     @Bound(normalise: { new, _ in min(max(new, 0), 100) }) var humidity = 50
///     var fahrenheit: Double { target * 9 / 5 + 32 }
///
///     init(graph: Graph) {
///         bindings = Bindings(graph: graph)
///     }
/// }
/// ```
/// Reading costs a check whether reads are tracked, setting a look-up of the followers.
@propertyWrapper
public struct Bound<Value> {
    private var stored: Value
    private let normalise: ((_ new: Value, _ old: Value) -> Value)?

    /// A property holding `wrappedValue`.
    public init(wrappedValue: Value) {
        stored = wrappedValue
        normalise = nil
    }

    /// A property that stores what `normalise` makes of what is set; to ignore a value, give the
    /// old one.
    ///
    /// The initial value is stored as it is.
    public init(wrappedValue: Value, normalise: @escaping (_ new: Value, _ old: Value) -> Value) {
        stored = wrappedValue
        self.normalise = normalise
    }

    /// Not to be used: the property must belong to a class that is ``Bindable``.
    @available(*, unavailable, message: "@Bound is for properties of Bindable classes")
    public var wrappedValue: Value {
        get { stored }
        set { stored = newValue }
    }

    /// What reading and setting the property do.
    public static subscript<Object: Bindable>(
        _enclosingInstance object: Object,
        wrapped path: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Bound<Value>>
    ) -> Value {
        get {
            object.bindings.access(path)
            return object[keyPath: storage].stored
        }
        set {
            object[keyPath: storage].store(newValue)
            object.bindings.changed(path)
        }
    }

    private mutating func store(_ value: Value) {
        stored = normalise?(value, stored) ?? value
    }
}
