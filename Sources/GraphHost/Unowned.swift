/// An element of a list that holds nothing: what it refers to leaves the list before it is freed.
///
/// Reading one that has been freed traps.
struct Unowned<Object: AnyObject> {
    unowned let object: Object

    init(_ object: Object) {
        self.object = object
    }
}
