internal import Support

/// The body of an answer, passed to the kernel piece by piece: the next one when it has taken the
/// one before.
///
/// So a peer that does not read costs one piece, however long the file.
final class FileBody: AnswerBody {
    static let pieceBytes = 64 * 1024

    private let file: StaticFile?
    private let coded: [UInt8]
    /// Its length in bytes.
    let size: Int
    private var offset = 0

    init(_ file: consuming StaticFile) {
        size = file.size
        self.file = consume file
        coded = []
    }

    /// A file in a coding, of which one copy serves all.
    init(coded: [UInt8]) {
        size = coded.count
        self.coded = coded
        file = nil
    }

    /// Whether all pieces have been passed on.
    var isOver: Bool { offset == size }

    /// Appends the next piece; false when the file cannot be read or has become shorter.
    func appendPiece(to out: inout ByteBuffer) -> Bool {
        let count = min(Self.pieceBytes, size - offset)
        defer { offset += count }
        guard file != nil else {
            coded.withBorrowedBytes {
                out.append($0.part(offset..<offset + count))
            }
            return true
        }
        return file?.read(count, at: offset, appendingTo: &out) == true
    }
}
