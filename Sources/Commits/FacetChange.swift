public import Support
public import Values

/// A producer's report on a node besides its value: the body of `POST …/load` and of the operation
/// `load` (L-1).
public enum FacetChange: Hashable, Sendable {
    /// A load is under way. `progress` is 0…1; nil: unchanged.
    case loading(progress: Double?)
    /// Of an upstream also the status with which it answered, and when it is asked again, in
    /// milliseconds since 1970.
    case failed(code: String, message: String, status: Int? = nil, retryAt: UInt64? = nil)
    /// The load has ended: the node's value is still right.
    case notModified
    /// The load has ended without a result.
    case cancelled
    /// The node's value is out of date.
    case invalidated

    /// A failure that another server reports: what is no code becomes `failed`, and a message is
    /// cut off at its longest.
    package init(reportedCode code: String, message: String, status: Int?, retryAt: UInt64?) {
        self = .failed(
            code: Self.isCode(code) ? code : "failed",
            message: String(decoding: message.utf8.prefix(Self.longestMessage), as: UTF8.self),
            status: status,
            retryAt: retryAt
        )
    }

    /// The most bytes of an error's `msg`.
    public static let longestMessage = 1024
    /// The most characters of an error's `code`.
    public static let longestCode = 64
}

extension FacetChange {
    /// Reads the body of a request; throws `bad_json` or `bad_field`.
    public init(body: BorrowedBytes) throws(HostError) {
        self = try Fields.read(body) { _, fields throws(HostError) in
            guard let fields else { throw HostError(.badField, "the body must be an object") }
            return try FacetChange(fields)
        }
    }

    /// The fields of a report.
    private enum Word: String, CaseIterable {
        case loading, progress, error, notModified, cancelled, invalidate
    }

    private static let words = FieldWords(Word.allCases.map(\.rawValue))

    /// Reads `loading` and `progress`, or one of `error`, `notModified`, `cancelled` and
    /// `invalidate`.
    package init(_ fields: Fields) throws(HostError) {
        let words = fields.words(among: Self.words).compactMap(Word.init(rawValue:))
        guard let word = words.first, words.count == 1 || words == [.loading, .progress] else {
            throw HostError(
                .badField,
                "one of loading (with progress), error, notModified, cancelled and invalidate is needed"
            )
        }
        switch word {
        case .error: self = try Self.failure(fields[.error])
        case .notModified: self = try Self.notModified.confirmed(by: fields.bool(.notModified), word.rawValue)
        case .cancelled: self = try Self.cancelled.confirmed(by: fields.bool(.cancelled), word.rawValue)
        case .invalidate: self = try Self.invalidated.confirmed(by: fields.bool(.invalidate), word.rawValue)
        case .loading, .progress:
            let progress = try Self.progress(fields[.progress])
            guard try fields.bool(.loading) == false else {
                self = .loading(progress: progress)
                return
            }
            guard progress == nil else {
                throw HostError(.badField, "progress: only a load under way has one")
            }
            self = .cancelled
        }
    }

    private func confirmed(by isTrue: Bool?, _ word: String) throws(HostError) -> FacetChange {
        guard isTrue == true else { throw HostError(.badField, "\(word): only true is allowed") }
        return self
    }

    private static func progress(_ field: JSONReader?) throws(HostError) -> Double? {
        guard let field else { return nil }
        guard let progress = field.double, (0...1).contains(progress) else {
            throw HostError(.badField, "progress: a number from 0 to 1 is needed")
        }
        // Turns -0 into 0.
        return progress == 0 ? 0 : progress
    }

    private static func failure(_ field: JSONReader?) throws(HostError) -> FacetChange {
        guard let field, field.kind == .object else {
            throw HostError(.badField, "error: an object with code and msg is needed")
        }
        guard let code = field["code"]?.string, isCode(code) else {
            throw HostError(
                .badField,
                "error.code: 1 to \(longestCode) of a-z, 0-9 and _ are needed, a letter first"
            )
        }
        let message = field["msg"].map(\.string) ?? ""
        guard let message else { throw HostError(.badField, "error.msg: a string is needed") }
        guard message.utf8.count <= longestMessage else {
            throw HostError(.badField, "error.msg: at most \(longestMessage) bytes are allowed")
        }
        return .failed(code: code, message: message)
    }

    private static func isCode(_ code: String) -> Bool {
        guard let first = code.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first else {
            return false
        }
        return code.utf8.count <= longestCode
            && code.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

// MARK: - The binary form

// Binary form: one byte for the case; then, for `loading`, a byte (1: with progress) and the
// progress as the eight bytes of its double; for `failed`, the code and the message; for that of an
// upstream then the status and the time of the next try, both numbers, 0 where there is none.
extension FacetChange {
    private enum Mark {
        static let loading: UInt8 = 0
        static let failed: UInt8 = 1
        static let notModified: UInt8 = 2
        static let cancelled: UInt8 = 3
        static let invalidated: UInt8 = 4
        static let failedUpstream: UInt8 = 5
    }

    package func append(to bytes: inout [UInt8]) {
        switch self {
        case .loading(let progress):
            bytes += [Mark.loading, progress == nil ? 0 : 1]
            if let progress {
                bytes.append(littleEndian: progress.bitPattern)
            }
        case .failed(let code, let message, let status, let retryAt):
            let isPlain = status == nil && retryAt == nil
            bytes.append(isPlain ? Mark.failed : Mark.failedUpstream)
            bytes.append(counted: code.utf8)
            bytes.append(counted: message.utf8)
            guard !isPlain else { break }
            bytes.append(varint: UInt64(status ?? 0))
            bytes.append(varint: retryAt ?? 0)
        case .notModified: bytes.append(Mark.notModified)
        case .cancelled: bytes.append(Mark.cancelled)
        case .invalidated: bytes.append(Mark.invalidated)
        }
    }

    /// Reads the form that ``append(to:)`` writes.
    init(from reader: inout LogBytesReader) throws(LogBytesError) {
        switch try reader.byte() {
        case Mark.loading:
            guard try reader.byte() == 1 else {
                self = .loading(progress: nil)
                return
            }
            var pattern: UInt64 = 0
            for place in 0..<8 { pattern |= UInt64(try reader.byte()) << (8 * place) }
            self = .loading(progress: Double(bitPattern: pattern))
        case Mark.failed: self = .failed(code: try reader.text(), message: try reader.text())
        case Mark.failedUpstream:
            let (code, message) = (try reader.text(), try reader.text())
            let (status, retryAt) = (try reader.varint(), try reader.varint())
            guard status < 1_000 else { throw LogBytesError() }
            self = .failed(
                code: code,
                message: message,
                status: status > 0 ? Int(status) : nil,
                retryAt: retryAt > 0 ? retryAt : nil
            )
        case Mark.notModified: self = .notModified
        case Mark.cancelled: self = .cancelled
        case Mark.invalidated: self = .invalidated
        default: throw LogBytesError()
        }
    }
}
