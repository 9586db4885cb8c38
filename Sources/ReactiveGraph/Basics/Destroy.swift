/// Destroys a value that ``exchange(_:with:)`` has taken from its place.
///
/// `destroy(exchange(&place, with: new))` is how to store a value whose predecessor may run code of
/// its owner's when it dies, code that may come back to this very place or free the object it is
/// in. In a plain assignment the old value dies during the access to the place; here the new value
/// is stored and the access has ended.
@inlinable
@inline(__always)
func destroy<Value>(_ former: consuming Value) {
    withExtendedLifetime(former) {}
}
