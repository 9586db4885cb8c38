/// An object that keeps a bag for its listens, so that they end at the moment it dies (G-67).
///
/// ```swift
/// final class Gauge: ListenerOwner {
///     let listenBag = CancellableBag()
///     var text = ""
/// }
/// ```
/// Nothing else may hold the bag. An owner that sets a node it listens to in its own `deinit`
/// should cancel the bag first, or it is called while it dies.
public protocol ListenerOwner: AnyObject {
    /// Holds the listens of this object, and nothing else holds it.
    var listenBag: CancellableBag { get }
}
