/// A reference that neither counts nor keeps its object alive.
///
/// Counting references was most of the time of a pass. What makes a reference of this kind sound is
/// the order in which the engine lets go: a node is detached from its edges, joins and frames
/// before it is freed, and an edge from its lists, so no list of the engine has the dead. Only the
/// engine makes them, and everything else receives them for the length of a call.
@usableFromInline
@safe package struct Ref<Object: AnyObject> {
    @usableFromInline let pointer: Unmanaged<Object>

    @inlinable
    init(_ pointer: Unmanaged<Object>) {
        unsafe self.pointer = pointer
    }

    /// A reference to an object that something else holds.
    @inlinable
    static func to(_ object: Object) -> Ref { unsafe Ref(.passUnretained(object)) }

    /// A reference that holds the object until ``release()`` or ``take()``.
    @inlinable
    static func retaining(_ object: Object) -> Ref { unsafe Ref(.passRetained(object)) }

    /// Gives up what ``retaining(_:)`` has held.
    @inlinable
    func release() { unsafe pointer.release() }

    /// Holds the object until ``release()`` or ``take()``.
    @inlinable
    func retain() -> Ref { unsafe Ref(pointer.retain()) }

    /// The object, counted from now on by Swift instead of by this reference.
    @inlinable
    func take() -> Object { unsafe pointer.takeRetainedValue() }

    /// The object, counted for as long as the caller uses it.
    @inlinable var object: Object { unsafe pointer.takeUnretainedValue() }

    /// Calls `body` with the object, which the engine keeps alive meanwhile.
    @inlinable
    @inline(__always)
    func with<Result>(_ body: (Object) throws -> Result) rethrows -> Result {
        try unsafe pointer._withUnsafeGuaranteedRef { try body($0) }
    }

    /// The same reference under the type that its maker knows the object to have.
    @inlinable
    func cast<Other: AnyObject>(to type: Other.Type = Other.self) -> Ref<Other> {
        unsafe Ref<Other>(.fromOpaque(pointer.toOpaque()))
    }

    /// What tells objects apart that live at the same time.
    @inlinable var identity: UInt { unsafe UInt(bitPattern: pointer.toOpaque()) }

    @inlinable
    func isSame(as other: Ref?) -> Bool { identity == other?.identity }
}
