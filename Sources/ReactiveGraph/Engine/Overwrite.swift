/// Stores a value and only then releases the old one.
///
/// The death of a value may run code of its owner's, which may come back to this very place or free
/// the object it is in. A plain assignment leaves it to the compiler which of the two it does
/// first.
@inlinable
@inline(__always)
func overwrite<Value>(_ place: inout Value, with new: consuming Value) {
    let old = exchange(&place, with: new)
    withExtendedLifetime(old) {}
}
