internal import CLibuv

/// What libuv answered when something could not be done.
///
/// The code stays visible so that callers can tell `EADDRINUSE` from `EACCES`; its name and
/// sentence come from libuv (https://docs.libuv.org/en/v1.x/errors.html).
public struct UVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The negative libuv code, for example −98 for `EADDRINUSE` on Linux.
    public let code: Int32

    /// The call that answered with it, for example `bind`.
    public let call: String

    /// An error from a libuv code (negative), or from `errno` through ``init(errno:call:)``.
    public init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// An error from a C library call that left its reason in `errno` (positive).
    public init(errno: Int32, call: String) {
        self.init(code: uv_translate_sys_error(errno), call: call)
    }

    /// The name of the code, for example `EADDRINUSE`.
    public var name: String { unsafe Self.text { unsafe uv_err_name_r(code, $0, $1) } }

    /// What the code means in a few words, for example `address already in use`.
    public var message: String { unsafe Self.text { unsafe uv_strerror_r(code, $0, $1) } }

    /// For example `bind: address already in use (EADDRINUSE)`.
    public var description: String { "\(call): \(message) (\(name))" }

    /// Whether the error has the given code.
    public func `is`(_ code: Code) -> Bool { self.code == code.rawValue }

    private static func text(
        _ fill: (UnsafeMutablePointer<CChar>, Int) -> UnsafeMutablePointer<CChar>?
    ) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            unsafe buffer.initialize(repeating: 0)
            let start = buffer.baseAddress!
            _ = unsafe fill(start, buffer.count)
            return unsafe String(cString: start)
        }
    }
}

extension UVError {
    /// The codes that callers decide by.
    ///
    /// The set is open: any libuv code may arrive.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The negative libuv code.
        public let rawValue: Int32

        /// A code by its libuv number.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        init(_ code: uv_errno_t) { self.init(rawValue: code.rawValue) }

        /// Another process listens there.
        public static let addressInUse = Code(UV_EADDRINUSE)
        /// A non-blocking call has nothing to do at the moment.
        public static let again = Code(UV_EAGAIN)
        /// The system, or the caller's own rule, does not permit it.
        public static let permissionDenied = Code(UV_EACCES)
        /// The operation was given up because its handle was closed.
        public static let cancelled = Code(UV_ECANCELED)
        /// No program listens there.
        public static let connectionRefused = Code(UV_ECONNREFUSED)
        /// The peer did not answer in time (also `TCP_USER_TIMEOUT`).
        public static let timedOut = Code(UV_ETIMEDOUT)
        /// The process has no descriptors left.
        public static let tooManyOpenFiles = Code(UV_EMFILE)
        /// No such file.
        public static let notFound = Code(UV_ENOENT)
        /// A directory where a file was expected.
        public static let isDirectory = Code(UV_EISDIR)
        /// Something that is neither file nor directory, for example a pipe or a device.
        public static let notRegular = Code(UV_EFTYPE)
        /// The file is larger than the caller's limit.
        public static let fileTooLarge = Code(UV_EFBIG)
        /// An argument that makes no sense.
        public static let invalidArgument = Code(UV_EINVAL)
        /// The name is not known to the resolver.
        public static let unknownHost = Code(UV_EAI_NONAME)
    }
}

/// Passes a libuv status on, or throws it as a ``UVError`` when it is negative.
@discardableResult
@inline(__always)
func check(_ status: Int32, _ call: StaticString) throws(UVError) -> Int32 {
    guard status >= 0 else { throw UVError(code: status, call: "\(call)") }
    return status
}
