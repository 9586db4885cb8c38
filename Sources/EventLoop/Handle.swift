internal import CLibuv

/// The memory of one libuv handle, and with it the handle's life.
///
/// Invariants (https://docs.libuv.org/en/v1.x/handle.html):
/// - The memory does not move and is freed only by the close callback.
/// - Dropping this value closes the handle; `data` is nil from then on, so that nothing reaches the
///   owner any more.
/// - The loop is held strongly: it ends after its handles.
///
/// `Raw` is the type the memory is used as; `size` may ask for more where the kind is known only at
/// run time.
@safe struct Handle<Raw>: ~Copyable {
    let loop: Loop
    private let memory: UnsafeMutableRawPointer

    /// Allocates the memory and lets `start` initialise it (a `uv_…_init` call); throws what that
    /// answered.
    init(
        on loop: Loop,
        size: Int = MemoryLayout<Raw>.size,
        _ call: StaticString,
        _ start: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> Int32
    ) throws(UVError) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        let status = unsafe start(loop.raw, memory.assumingMemoryBound(to: Raw.self))
        guard status >= 0 else {
            unsafe memory.deallocate()
            throw UVError(code: status, call: "\(call)")
        }
        self.loop = loop
        unsafe self.memory = unsafe memory
        unsafe base.pointee.data = nil
    }

    deinit {
        unsafe base.pointee.data = nil
        unsafe uv_close(base, freeHandle)
    }

    var raw: UnsafeMutablePointer<Raw> { unsafe memory.assumingMemoryBound(to: Raw.self) }

    var base: UnsafeMutablePointer<uv_handle_t> { unsafe memory.assumingMemoryBound(to: uv_handle_t.self) }

    /// Makes callbacks find `owner`, without retaining it: the owner holds this handle.
    func belongs(to owner: AnyObject) {
        unsafe base.pointee.data = unsafe Unmanaged.passUnretained(owner).toOpaque()
    }

    /// Whether the loop goes on running for this handle's sake alone.
    var keepsLoopAlive: Bool {
        get { unsafe uv_has_ref(base) != 0 }
        nonmutating set { unsafe newValue ? uv_ref(base) : uv_unref(base) }
    }
}

/// The close callback of every handle (a C function pointer cannot be formed inside a generic
/// type).
private let freeHandle: uv_close_cb = { handle in
    unsafe UnsafeMutableRawPointer(handle!).deallocate()
}

extension UnsafeMutableRawPointer {
    /// The object that ``Handle/belongs(to:)`` stored, retained for as long as the caller uses it.
    @inline(__always)
    func owner<Owner: AnyObject>(_ type: Owner.Type = Owner.self) -> Owner {
        unsafe Unmanaged<Owner>.fromOpaque(self).takeUnretainedValue()
    }

    /// The same object, not retained, for a look that destroys nothing.
    @inline(__always)
    func lend<Owner: AnyObject, Result>(_ type: Owner.Type, _ look: (Owner) -> Result) -> Result {
        unsafe Unmanaged<Owner>.fromOpaque(self)._withUnsafeGuaranteedRef(look)
    }
}
