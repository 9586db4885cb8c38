#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif
public import CEL
public import Support

/// The value of a node of a hosted graph when it is not empty: one JSON value, or a failure.
///
/// - Immutable to its users and shared by reference: every node and frame with the value shares its
///   bytes.
/// - A value that was parsed keeps its text, without surrounding white space; the tree is made when
///   an operator first needs it. A computed value keeps its tree; the text is written when it is
///   first sent.
/// - The text is stored with its prefix in a frame (`"v":`, `"fail":`), so that a frame copies one
///   range.
/// - The tree is always as if read back from the text: a number is a `double`, or beyond 2^53, if
///   it is written as a whole number, an `int` or `uint`; bytes and times are strings.
@safe public final class Datum {
    /// The size of the fragment, which is the prefix and the JSON text; 0 until it exists.
    private var fragmentCount = 0
    /// A fragment that fits, as most do: it needs no memory of its own.
    private var short = Short()
    /// A longer one.
    private var long: UnsafeMutableRawPointer?
    private var cachedTree: Value?
    /// ``treeBytes``; 0 until it is first read.
    private var knownTreeBytes: UInt32 = 0
    /// Whether the tree of a list or object is charged to a principal (``StageBytes``).
    package var isTreeCounted = false
    private let failure: FailBox?

    /// A reference, so that ordinary values need no room for a failure.
    private final class FailBox {
        let fail: Fail
        init(_ fail: Fail) {
            self.fail = fail
        }
    }

    private struct Short {
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    }

    package static let valuePrefix: StaticString = "\"v\":"
    package static let failPrefix: StaticString = "\"fail\":"

    /// A value from validated text; copies the bytes.
    public init(_ reader: JSONReader) {
        failure = nil
        store(Datum.valuePrefix, reader.bytes)
    }

    /// A value from a tree.
    ///
    /// - Throws: if JSON cannot represent it (NaN, infinities, types); the stage that computed it
    ///   fails with `expr_bad_value`.
    public init(tree: Value) throws(JSONError) {
        failure = nil
        switch tree {
        case .null, .bool, .string:
            cachedTree = tree
        case .double(let number) where number.isFinite:
            cachedTree = tree
        case .int(let number) where number.magnitude <= 1 << 53:
            cachedTree = .double(Double(number))
        case .uint(let number) where number <= 1 << 53:
            cachedTree = .double(Double(number))
        default:
            var bytes: [UInt8] = []
            if try JSONWriter.append(tree, to: &bytes) {
                cachedTree = tree
            }
            bytes.withBorrowedBytes { store(Datum.valuePrefix, $0) }
        }
    }

    /// A failure.
    public init(fail: Fail) {
        failure = FailBox(fail)
    }

    deinit {
        unsafe free(long)
    }

    /// Parses one JSON text (RFC 8259, `JSONScanner`'s rules).
    public static func parse(
        _ bytes: BorrowedBytes,
        limits: JSONLimits = .standard
    ) throws(JSONError) -> Datum {
        Datum(try JSONReader(checking: bytes, limits: limits))
    }

    public static func parse(_ text: String, limits: JSONLimits = .standard) throws(JSONError) -> Datum {
        try text.withBorrowedBytes { utf8 throws(JSONError) in try parse(utf8, limits: limits) }
    }

    /// A failure with a stable code, a place, and a sentence.
    public static func fail(_ code: String, at place: String, _ message: String) -> Datum {
        Datum(fail: Fail(code: code, at: place, message: message))
    }

    /// JSON null, true and false.
    ///
    /// Each is a new object, because a value belongs to the thread of its graph.
    package static var null: Datum { constant(.null) }
    package static var `true`: Datum { constant(.bool(true)) }
    package static var `false`: Datum { constant(.bool(false)) }

    package static func text(_ text: String) -> Datum { constant(.string(text)) }

    private static func constant(_ tree: Value) -> Datum {
        do throws(JSONError) {
            return try Datum(tree: tree)
        } catch {
            preconditionFailure("JSON can say null, true, false and any string")
        }
    }

    /// Whether this is a failure and no value.
    public var isFail: Bool {
        failure != nil
    }

    /// The failure, if it is one.
    public var fail: Fail? {
        failure?.fail
    }

    /// The kind of the value.
    ///
    /// A failure counts as an object, because it is shown as one.
    public var kind: JSONKind {
        switch cachedTree {
        case .null?: .null
        case .bool?: .bool
        case .double?, .int?, .uint?: .number
        case .string?: .string
        case .list?: .array
        case .map?: .object
        default: withBytes { JSONReader(validated: $0).kind }
        }
    }

    /// The number or the flag that it is, without making the tree of anything else.
    package var number: Number? { kind == .number ? Number(tree) : nil }
    package var flag: Bool? {
        if kind == .bool, case .bool(let flag) = tree { flag } else { nil }
    }

    /// Whether it is a list or an object with a tree; a computed one has its text as well.
    package var isContainer: Bool {
        switch cachedTree {
        case .list?, .map?: true
        default: false
        }
    }

    /// The value as a tree, made on first use.
    ///
    /// For a failure it is null: check `isFail` first.
    public var tree: Value {
        if let cachedTree { return cachedTree }
        guard failure == nil else { return .null }
        let tree = withBytes { JSONTree.tree(of: JSONReader(validated: $0)) }
        cachedTree = tree
        return tree
    }

    /// Calls `body` with the JSON text of the value, or of the failure's object.
    @inline(__always)
    public func withBytes<R>(_ body: (BorrowedBytes) -> R) -> R {
        withFragment { fragment in
            let prefix =
                failure == nil ? Datum.valuePrefix.utf8CodeUnitCount : Datum.failPrefix.utf8CodeUnitCount
            return body(fragment.part(prefix...))
        }
    }

    /// Calls `body` with the member in a frame: `"v":21.5` or `"fail":{"code":…,"at":…,"msg":…}`.
    @inline(__always)
    public func withFragment<R>(_ body: (BorrowedBytes) -> R) -> R {
        if fragmentCount == 0 { write() }
        if let long = unsafe long {
            return withExtendedLifetime(self) {
                unsafe body(BorrowedBytes(start: long, count: fragmentCount))
            }
        }
        return unsafe withUnsafeBytes(of: &short) { unsafe body(BorrowedBytes($0).part(..<fragmentCount)) }
    }

    /// The size of its text or string in bytes; 0 for a computed number, boolean or null.
    package var knownByteCount: Int {
        if fragmentCount == 0, case .string(let text)? = cachedTree { return text.utf8.count }
        return fragmentCount
    }

    /// Its approximate memory in bytes: a list or object that was computed, or that an expression
    /// has read, has a tree besides its text.
    package var heldBytes: Int { knownByteCount + treeBytes }

    /// About the memory of the tree of a list or object, in bytes; 0 without one.
    package var treeBytes: Int {
        guard isContainer, let cachedTree else { return 0 }
        if knownTreeBytes == 0 { knownTreeBytes = UInt32(clamping: cachedTree.outsideBytes) }
        return Int(knownTreeBytes)
    }

    /// Lets the tree of a list or object go; it is made again when it is needed.
    package func forgetTree() {
        guard isContainer else { return }
        cachedTree = nil
        knownTreeBytes = 0
        isTreeCounted = false
    }

    /// The size of the JSON text in bytes.
    public var byteCount: Int {
        withBytes(\.count)
    }

    public func append(to bytes: inout [UInt8]) {
        withBytes { bytes.append(contentsOf: $0) }
    }

    public func appendFragment(to bytes: inout [UInt8]) {
        withFragment { bytes.append(contentsOf: $0) }
    }

    public var text: String {
        withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes the text of a computed value or a failure.
    @inline(never)
    private func write() {
        var bytes: [UInt8] = []
        if let failure {
            failure.fail.append(to: &bytes)
            bytes.withBorrowedBytes { store(Datum.failPrefix, $0) }
            return
        }
        do throws(JSONError) {
            try JSONWriter.append(cachedTree ?? .null, to: &bytes)
        } catch {
            preconditionFailure("a tree without text is a scalar that JSON can say")
        }
        bytes.withBorrowedBytes { store(Datum.valuePrefix, $0) }
    }

    private func store(_ prefix: StaticString, _ text: BorrowedBytes) {
        fragmentCount = prefix.utf8CodeUnitCount + text.count
        if fragmentCount <= MemoryLayout<Short>.size {
            return unsafe withUnsafeMutableBytes(of: &short) {
                unsafe Self.fill($0.baseAddress!, prefix, text)
            }
        }
        // `malloc`, because `allocate` uses `posix_memalign` on Linux for an alignment that bytes
        // do not need.
        guard let memory = unsafe malloc(fragmentCount) else { preconditionFailure("no memory for a value") }
        unsafe Self.fill(memory, prefix, text)
        unsafe long = unsafe memory
    }

    @inline(__always)
    private static func fill(
        _ memory: UnsafeMutableRawPointer,
        _ prefix: StaticString,
        _ text: BorrowedBytes
    ) {
        unsafe memory.copyMemory(from: prefix.utf8Start, byteCount: prefix.utf8CodeUnitCount)
        guard let source = unsafe text.baseAddress else { return }
        unsafe (memory + prefix.utf8CodeUnitCount).copyMemory(from: source, byteCount: text.count)
    }
}

extension Datum: Hashable {
    /// Structural equality; failures are equal if code, place and message are.
    public static func == (a: Datum, b: Datum) -> Bool {
        if a === b { return true }
        if a.failure != nil || b.failure != nil { return a.fail == b.fail }
        // Computed scalars are compared without text: doubles are equal exactly if their shortest
        // decimals are.
        switch (a.cachedTree, b.cachedTree) {
        case (.double(let x)?, .double(let y)?) where a.fragmentCount == 0 && b.fragmentCount == 0:
            return x == y
        case (.bool(let x)?, .bool(let y)?): return x == y
        case (.string(let x)?, .string(let y)?): return x.utf8.elementsEqual(y.utf8)
        default: break
        }
        return a.withBytes { x in b.withBytes { y in JSONEquality.areEqual(x, y) } }
    }

    public func hash(into hasher: inout Hasher) {
        if let fail { return hasher.combine(fail) }
        withBytes { JSONEquality.hash(JSONReader(validated: $0), into: &hasher) }
    }
}

extension Datum: CustomStringConvertible {
    public var description: String { text }
}
