internal import CZlib
internal import Support

/// Decompresses messages, one after the other, for permessage-deflate (RFC 7692 §7.2.2).
///
/// ```
/// inflater.begin()
/// inflater.feed(piece)
/// while case .produced = inflater.produce(to: &output, limitBytes: limit) { look at what was appended }
/// ```
/// Memory is taken at the first message and given back with the inflater.
@safe public final class Inflater {
    /// What a call of `produce` came to.
    enum Step {
        /// Something was appended, and there may be more.
        case produced
        /// All that was fed is used up.
        case hungry
        /// The output would be longer than the limit, up to which it was appended.
        case tooLarge
        /// This is not compressed data.
        case malformed
    }

    private var stream: UnsafeMutablePointer<z_stream>?
    private let windowBits: Int32
    /// Whether messages may refer to earlier ones.
    public let keepsContext: Bool

    /// An inflater that has seen nothing yet.
    /// - Parameters:
    ///   - windowBits: how far back messages refer at most, as a power of two, 8 … 15.
    ///   - keepsContext: whether they refer to earlier ones.
    public init(windowBits: Int = 15, keepsContext: Bool) {
        // Senders with a window of 2^8 are known to use 2^9, because zlib does.
        self.windowBits = Int32(min(max(windowBits, 9), 15))
        self.keepsContext = keepsContext
    }

    deinit {
        guard let stream = unsafe stream else { return }
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// The memory an inflater with such a window takes, in bytes, rounded up (zconf.h).
    public static func memoryBytes(windowBits: Int) -> Int {
        1 << min(max(windowBits, 9), 15) + 12 * 1024
    }

    func begin() {
        if !keepsContext, let stream = unsafe stream { unsafe inflateReset(stream) }
    }

    /// Sets what is read next; it must stay in place until it is used up.
    func feed(_ piece: BorrowedBytes) {
        let stream = unsafe open()
        unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
            mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        unsafe stream.pointee.avail_in = UInt32(piece.count)
    }

    /// Appends the next piece of output, 16 KiB at most, so that its reader can stop a bad message
    /// early.
    func produce(to output: inout ByteBuffer, limitBytes: Int) -> Step {
        let stream = unsafe open()
        // One byte beyond the limit shows that there is more.
        let room = min(16 * 1024, limitBytes - output.count + 1)
        let before = unsafe stream.pointee.avail_in
        unsafe stream.pointee.next_out = unsafe output.reserve(room).assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = UInt32(room)
        let code = unsafe inflate(stream, Z_SYNC_FLUSH)
        let made = unsafe room - Int(stream.pointee.avail_out)
        guard made <= limitBytes - output.count else {
            // What is within the limit is looked at all the same: which of two mistakes is found
            // must not depend on how the input was cut.
            output.commit(limitBytes - output.count)
            return .tooLarge
        }
        output.commit(made)
        switch code {
        case Z_OK:
            break
        case Z_STREAM_END:
            // A block that calls itself the last is only the last of its sender's stream; what
            // follows goes on (RFC 7692 §7.2.3.4), and may refer to what came before.
            unsafe inflateResetKeep(stream)
        case Z_BUF_ERROR:
            return .hungry
        default:
            return .malformed
        }
        if made > 0 { return .produced }
        return unsafe stream.pointee.avail_in > 0 && stream.pointee.avail_in < before ? .produced : .hungry
    }

    /// Whether what was read ends with a whole block, as a message must once its tail is put back.
    var isAtBoundary: Bool {
        // zlib.h: 128 is added "if stopped immediately after decoding an end-of-block code".
        unsafe stream.map { unsafe $0.pointee.avail_in == 0 && $0.pointee.data_type & 128 != 0 } ?? false
    }

    private func open() -> UnsafeMutablePointer<z_stream> {
        if let stream = unsafe stream { return unsafe stream }
        // zlib refers back to it: it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe inflateInit2_(stream, -windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(code == Z_OK, "zlib cannot be set up")
        unsafe self.stream = unsafe stream
        return unsafe stream
    }
}

/// Inflaters that are between two messages and free to use.
///
/// A message that lies in the input whole needs one for the length of a call, so that one serves a
/// whole loop; only messages that are cut off hold one each.
public final class InflaterPool {
    private var free: ContiguousArray<Inflater> = []

    public init() {}

    /// An inflater that keeps no context.
    func take() -> Inflater {
        free.popLast() ?? Inflater(keepsContext: false)
    }

    /// Takes an inflater back, whatever became of its message.
    func give(_ inflater: Inflater) {
        if free.count < 4 { free.append(inflater) }
    }
}

/// Where an assembler has its inflater from.
public enum Inflation {
    /// No compression was agreed on.
    case none
    /// Messages stand by themselves; an inflater is borrowed for each.
    case shared(InflaterPool)
    /// Messages refer to earlier ones, so that the connection has an inflater of its own.
    case own(Inflater)
}
