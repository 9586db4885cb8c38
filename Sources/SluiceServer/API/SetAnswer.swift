internal import GraphHost
internal import HTTP
internal import Support

/// The usual answer to a set.
///
/// Only the rev changes from one to the next; the rest is prepared.
///
/// Composing it from its parts takes 840 instructions; this takes 545.
final class SetAnswer {
    /// Status line, date, and the tag up to the rev.
    @exclusivity(unchecked) private var head = ByteBuffer()
    /// From after the rev in the tag to the rev in the body.
    @exclusivity(unchecked) private var middle = ByteBuffer()
    // The parts were prepared for these.
    @exclusivity(unchecked) private var epoch = ""
    @exclusivity(unchecked) private var digits = 0
    @exclusivity(unchecked) private var isStale = true

    /// The date has changed.
    func forget() { isStale = true }

    func append(_ applied: Applied, _ encoder: ResponseEncoder, to out: inout ByteBuffer) {
        if isStale || applied.epoch != epoch { makeHead(applied.epoch, encoder) }
        out.append(head.bytes)
        let start = out.count
        out.append(decimal: applied.rev)
        let digits = out.count - start
        if digits != self.digits { makeMiddle(digits) }
        out.append(middle.bytes)
        out.append(repeating: start..<start + digits)
        out.append("}\n")
    }

    @inline(never)
    private func makeHead(_ epoch: String, _ encoder: ResponseEncoder) {
        self.epoch = epoch
        isStale = false
        digits = 0
        head.removeAll()
        encoder.begin(.ok, ResponseFraming(), in: &head)
        head.append("ETag: \"")
        head.append(utf8: epoch)
        head.append(":")
    }

    @inline(never)
    private func makeMiddle(_ digits: Int) {
        self.digits = digits
        middle.removeAll()
        middle.append("\"\r\nContent-Type: application/json\r\n")
        middle.field("Content-Length", 20 + epoch.utf8.count + digits)
        middle.append("\r\n{\"epoch\":\"")
        middle.append(utf8: epoch)
        middle.append("\",\"rev\":")
    }
}
