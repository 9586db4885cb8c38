internal import HTTP

/// Assembles the frames of one peer into messages.
///
/// Most peers are between two messages most of the time and need none then; so connections borrow
/// theirs.
final class Assembler {
    @exclusivity(unchecked) var messages: MessageAssembler

    fileprivate init(limitBytes: Int) {
        messages = MessageAssembler(role: .server, limitBytes: limitBytes)
    }
}

/// Unused assemblers, which are between two messages.
final class AssemblerPool {
    private let limitBytes: Int
    private var free: ContiguousArray<Assembler> = []

    /// A pool whose assemblers take messages of at most `limitBytes`.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// An assembler without an unfinished message.
    func take() -> Assembler {
        free.popLast() ?? Assembler(limitBytes: limitBytes)
    }

    /// Takes back an assembler that is between two messages and has not failed.
    func give(_ assembler: Assembler) {
        if free.count < 16 { free.append(assembler) }
    }
}
