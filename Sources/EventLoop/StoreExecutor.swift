/// Where a log works on its files, or waits for its server: one piece of work at a time, away from
/// the loop.
public protocol StoreExecutor: AnyObject {
    /// Does `work` elsewhere, then `answer` on the loop, in order, and never from within this call.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, then answer: @escaping (Value) -> Void)
    /// Waits until all work is done and answered, also what the answers ask for.
    func wait()
    /// Calls `action` on the loop after so many milliseconds; 0: soon.
    func after(_ milliseconds: UInt64, _ action: @escaping () -> Void)
    /// Milliseconds of a clock that is never set, as of this moment; its zero has no meaning.
    var now: UInt64 { get }
}
