internal import Platform
internal import Support

// Clients send the same head again and again: a sensor that sets a node, a page that polls one. The
// bytes of a head determine what it says, so what was read of the last one still holds for one with
// the same bytes, and comparing them takes a small part of the time of reading them.
extension MessageCore {
    /// The longest head that is remembered, in bytes: so much memory a connection keeps.
    static var mostRemembered: Int { 4_096 }

    /// Remembers the head that has just been accepted.
    ///
    /// Only one whose body has a length, and after which the connection goes on as it is.
    mutating func rememberHead(_ base: UnsafePointer<UInt8>) {
        remembered.removeAll()
        guard headEnd <= Self.mostRemembered, facts.keepsAlive, !facts.isChunked, !facts.upgradesToWebSocket
        else { return }
        unsafe remembered.append(BorrowedBytes(start: base, count: headEnd))
    }

    /// Whether the next request may have the same head.
    var mayRepeat: Bool { !remembered.isEmpty }

    /// Forgets the bytes of the request at hand; takes the next one if it lies in the input to its
    /// end and has the same head.
    ///
    /// llhttp does not see it, and stays at the end of the last message that it saw.
    mutating func takesRepeated(_ input: inout BorrowedBytes) -> Bool {
        head.removeBytes()
        body.removeAll()
        let size = remembered.count
        let whole = size &+ facts.contentLength
        guard size > 0, input.count >= whole, let start = unsafe input.baseAddress,
            let known = unsafe remembered.bytes.baseAddress, unsafe memcmp(start, known, size) == 0
        else { return false }
        unsafe head.base = unsafe start.assumingMemoryBound(to: UInt8.self)
        if whole > size { unsafe body.append(start + size, whole &- size) }
        input = input.part(whole...)
        return true
    }
}
