/// An element of a list that holds nothing: what it refers to leaves the list before it is freed.
///
/// Reading one that has been freed traps.
package struct Unowned<Object: AnyObject> {
    package unowned let object: Object

    @inlinable
    package init(_ object: Object) {
        self.object = object
    }
}
