/// The buffer into which the channels of one loop decrypt; its contents are valid only during a
/// call.
@safe package final class PlaintextRoom {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)

    package init() {}

    deinit {
        unsafe bytes.deallocate()
    }
}
