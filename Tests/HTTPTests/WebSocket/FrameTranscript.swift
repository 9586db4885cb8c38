import HTTP
import Support

/// What an assembler made of some bytes, as lines that can be compared whole.
enum FrameTranscript {
    /// Compression without contexts.
    static func shared() -> Inflation { .shared(InflaterPool()) }

    /// Compression with a context.
    static func own() -> Inflation { .own(Inflater(keepsContext: true)) }

    /// Parses the pieces in order with one assembler; stops at a failure or a close.
    static func of(
        _ pieces: [[UInt8]],
        role: FrameParser.Role = .server,
        limitBytes: Int = 64 * 1024,
        inflation: () -> Inflation = { .none }
    ) -> [String] {
        var assembler = MessageAssembler(role: role, limitBytes: limitBytes)
        assembler.inflation = inflation()
        var lines: [String] = []
        for piece in pieces {
            // A copy of exactly this size, freed at once: the address sanitizer sees any view that
            // outlives its input.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            memory.copyBytes(from: piece)
            defer { memory.deallocate() }
            var input = memory
            reading: while true {
                switch assembler.parse(&input) {
                case .more: break reading
                case .text(let bytes): lines.append("text \(bytes.text)")
                case .binary(let bytes): lines.append("binary \(Array(bytes))")
                case .ping(let bytes): lines.append("ping \(bytes.text)")
                case .pong(let bytes): lines.append("pong \(bytes.text)")
                case .close(let code, let reason): return lines + ["close \(code.rawValue) \(reason.text)"]
                case .failed(let failure): return lines + ["failed \(failure.code.rawValue)"]
                }
            }
        }
        if assembler.isUnfinished { lines.append("unfinished") }
        return lines
    }

    /// The whole, every split in two, and byte by byte; the result of the whole where all agree.
    static func atEverySplit(
        _ bytes: [UInt8],
        role: FrameParser.Role = .server,
        limitBytes: Int = 64 * 1024,
        inflation: () -> Inflation = { .none }
    ) -> [String] {
        let whole = of([bytes], role: role, limitBytes: limitBytes, inflation: inflation)
        for place in 0...bytes.count {
            let heard = of(
                [Array(bytes[..<place]), Array(bytes[place...])],
                role: role,
                limitBytes: limitBytes,
                inflation: inflation
            )
            guard heard == whole else { return ["split at \(place): \(heard) instead of \(whole)"] }
        }
        let single = of(bytes.map { [$0] }, role: role, limitBytes: limitBytes, inflation: inflation)
        return single == whole ? whole : ["byte by byte: \(single) instead of \(whole)"]
    }
}

/// Frames as a client sends them.
enum Frame {
    static func masked(
        _ opcode: Opcode,
        _ payload: [UInt8],
        isFinal: Bool = true,
        isCompressed: Bool = false,
        mask: UInt32 = 0x3D21_FA37
    ) -> [UInt8] {
        var buffer = ByteBuffer()
        payload.withBorrowedBytes {
            FrameEncoder.append(
                opcode,
                $0,
                isFinal: isFinal,
                isCompressed: isCompressed,
                mask: mask,
                to: &buffer
            )
        }
        return Array(buffer.bytes)
    }

    static func masked(_ opcode: Opcode, _ payload: String, isFinal: Bool = true) -> [UInt8] {
        masked(opcode, Array(payload.utf8), isFinal: isFinal)
    }
}
