public import Support

/// Receives the events of a ``TCPConnection``.
///
/// All calls come from the loop.
///
/// Whatever a call destroys, the connection itself included, is kept alive until the call has
/// returned.
public protocol ConnectionDelegate: AnyObject {
    /// Bytes came in. They are lent: void when this returns.
    func received(_ bytes: BorrowedBytes)

    /// The peer will send nothing more (FIN); it may still read. Nothing is closed by this.
    func peerClosed()

    /// All that ``TCPConnection/write(_:)`` queued is in the kernel's hands.
    func wroteAll()

    /// The connection is over. Called exactly once, as the last call, whichever side ended it.
    ///
    /// Called with nil from within ``TCPConnection/close()`` and ``TCPConnection/reset()``; with
    /// the reason as soon as the kernel reports it when the connection broke (it is closed by
    /// then). Not called when the connection is merely dropped.
    func closed(error: UVError?)
}
