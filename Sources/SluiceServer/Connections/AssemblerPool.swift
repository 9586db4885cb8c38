internal import HTTP

/// A `MessageAssembler` in a pool.
///
/// Connections borrow it while a message is incomplete: most peers are between two messages most of
/// the time and need none then.
final class PooledAssembler {
    var messages: MessageAssembler
    /// When the unfinished message began to arrive; 0: there is none, or its bytes are not awaited.
    var startedAt: UInt64 = 0

    fileprivate init(limitBytes: Int) {
        messages = MessageAssembler(role: .server, limitBytes: limitBytes)
    }
}

/// Unused assemblers, which are between two messages.
final class AssemblerPool {
    private let limitBytes: Int
    private var free: ContiguousArray<PooledAssembler> = []

    /// A pool whose assemblers take messages of at most `limitBytes`.
    init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    /// An assembler without an unfinished message.
    func take() -> PooledAssembler {
        free.popLast() ?? PooledAssembler(limitBytes: limitBytes)
    }

    /// Takes back an assembler that is between two messages and has not failed.
    func give(_ assembler: PooledAssembler) {
        assembler.startedAt = 0
        assembler.messages.forgetDelivered()
        if free.count < 16 { free.append(assembler) }
    }
}
