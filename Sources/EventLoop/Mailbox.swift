internal import CLibuv

/// The only way for other threads to reach a loop.
///
/// Made by ``MailboxReader/init(on:receive:)``. Any thread may post; messages of one thread arrive
/// in the order posted, on the loop's thread. The wake-up (`uv_async_send`,
/// https://docs.libuv.org/en/v1.x/async.html) is sent only when the queue was empty.
///
/// Unchecked, because `queue` and `wake` are touched only while `lock` is held. The lock is libuv's
/// and not the library's `Mutex`, whose hand-over the thread sanitizer does not see.
@safe public final class Mailbox<Message: Sendable>: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
    private var queue: [Message] = []
    private var wake: UnsafeMutablePointer<uv_async_t>?

    fileprivate init(wake: UnsafeMutablePointer<uv_async_t>) {
        unsafe self.wake = unsafe wake
        unsafe precondition(uv_mutex_init(lock) == 0, "a mutex takes nothing but memory")
    }

    deinit {
        unsafe uv_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Puts a message into the queue.
    ///
    /// Returns false, and drops the message, when the reader is gone.
    @discardableResult
    public func post(_ message: Message) -> Bool {
        unsafe uv_mutex_lock(lock)
        defer { unsafe uv_mutex_unlock(lock) }
        guard let wake = unsafe wake else { return false }
        queue.append(message)
        if queue.count == 1 { unsafe uv_async_send(wake) }
        return true
    }

    fileprivate func takeAll() -> [Message] {
        unsafe uv_mutex_lock(lock)
        defer { unsafe uv_mutex_unlock(lock) }
        var taken: [Message] = []
        swap(&taken, &queue)
        return taken
    }

    /// After this no thread touches the wake handle any more: it is cleared under the lock that
    /// `post` holds while using it.
    fileprivate func close() {
        unsafe uv_mutex_lock(lock)
        unsafe wake = nil
        var dropped: [Message] = []
        swap(&dropped, &queue)
        unsafe uv_mutex_unlock(lock)
        // What dropping a message brings about happens outside the lock.
        dropped.removeAll()
    }
}

/// The loop's end of a ``Mailbox``: drop it and the mailbox refuses further messages.
///
/// By default it keeps the loop running.
public final class MailboxReader<Message: Sendable> {
    /// What to hand to other threads.
    public let mailbox: Mailbox<Message>
    private let wake: Wake

    /// Opens a mailbox on `loop`; `receive` is called there once per message.
    public init(on loop: Loop, receive: @escaping (Message) -> Void) throws(UVError) {
        let wake = try Wake(on: loop)
        let mailbox = unsafe Mailbox<Message>(wake: wake.pointer)
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

/// The `uv_async_t` of a mailbox, apart from it because a C callback cannot be formed in a generic
/// type.
@safe private final class Wake {
    private let handle: Handle<uv_async_t>
    var action: (Wake) -> Void = { _ in }
    var isOpen = true

    init(on loop: Loop) throws(UVError) {
        unsafe handle = unsafe try Handle(on: loop, "uv_async_init") { loop, raw in
            unsafe uv_async_init(loop, raw) { unsafe $0!.pointee.data.owner(Wake.self).wakeUp() }
        }
        unsafe handle.belongs(to: self)
    }

    private func wakeUp() { action(self) }

    var pointer: UnsafeMutablePointer<uv_async_t> { unsafe handle.raw }

    var keepsLoopAlive: Bool {
        get { unsafe handle.keepsLoopAlive }
        set { unsafe handle.keepsLoopAlive = newValue }
    }
}
