internal import CLibuv
private import Synchronization

/// The one door through which other threads reach a loop.
///
/// Made by ``MailboxReader/init(on:receive:)``. Any thread may post; messages of one thread arrive in the
/// order posted, on the loop's thread. The wake-up (`uv_async_send`,
/// https://docs.libuv.org/en/v1.x/async.html) is sent only when the queue was empty.
public final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var queue: [Message] = []
        var wake: WakePointer?
    }

    private let state: Mutex<State>

    fileprivate init(wake: WakePointer) {
        state = Mutex(State(wake: wake))
    }

    /// Puts a message into the queue.
    ///
    /// Returns false, and drops the message, when the reader is gone.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        state.withLock { state in
            guard let wake = state.wake else { return false }
            state.queue.append(message)
            if state.queue.count == 1 { uv_async_send(wake.raw) }
            return true
        }
    }

    fileprivate func takeAll() -> [Message] {
        state.withLock { state in
            var taken: [Message] = []
            swap(&taken, &state.queue)
            return taken
        }
    }

    /// After this no thread touches the wake handle any more: it is cleared under the lock that `post` holds
    /// while using it.
    fileprivate func close() {
        state.withLock { state in
            state.wake = nil
            state.queue = []
        }
    }
}

/// The loop's end of a ``Mailbox``: drop it and the mailbox refuses further messages.
///
/// It keeps the loop running unless told otherwise.
public final class MailboxReader<Message: Sendable> {
    /// What to hand to other threads.
    public let mailbox: Mailbox<Message>
    private let wake: Wake

    /// Opens a mailbox on `loop`; `receive` is called there once per message.
    public init(on loop: Loop, receive: @escaping (Message) -> Void) throws(UVError) {
        let wake = try Wake(on: loop)
        let mailbox = Mailbox<Message>(wake: wake.pointer)
        wake.action = { wake in
            for message in mailbox.takeAll() where wake.isOpen { receive(message) }
        }
        self.wake = wake
        self.mailbox = mailbox
    }

    deinit {
        wake.isOpen = false
        mailbox.close()
    }

    /// Whether the loop goes on running for this mailbox's sake alone; true at first.
    public var keepsLoopAlive: Bool {
        get { wake.keepsLoopAlive }
        set { wake.keepsLoopAlive = newValue }
    }
}

/// The `uv_async_t` of a mailbox, apart from it because a C callback cannot be formed in a generic type.
private final class Wake {
    private let handle: Handle<uv_async_t>
    var action: (Wake) -> Void = { _ in }
    var isOpen = true

    init(on loop: Loop) throws(UVError) {
        handle = try Handle(on: loop, "uv_async_init") { loop, raw in
            uv_async_init(loop, raw) { $0!.pointee.data.owner(Wake.self).wakeUp() }
        }
        handle.belongs(to: self)
    }

    private func wakeUp() { action(self) }

    var pointer: WakePointer { WakePointer(raw: handle.raw) }

    var keepsLoopAlive: Bool {
        get { handle.keepsLoopAlive }
        set { handle.keepsLoopAlive = newValue }
    }
}

/// Sendable because the pointer is used for one thing only, `uv_async_send`, which libuv allows from any
/// thread, and only under the mailbox's lock, where it is nil from before the handle is closed.
private struct WakePointer: @unchecked Sendable {
    let raw: UnsafeMutablePointer<uv_async_t>
}
