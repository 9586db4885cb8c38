/// Something that can be ended.
public protocol Cancellable: AnyObject {
    /// Ends it. Idempotent.
    func cancel()
}
