internal import Graphs
internal import HTTP
internal import Support

/// The usual answer to a set.
///
/// Only the rev changes from one to the next; the rest is prepared.
///
/// Composing it from its parts takes 840 instructions; this takes 276.
final class SetAnswer {
    /// The whole answer with the last rev.
    private var answer = ByteBuffer()
    /// Where the rev stands in the tag and in the body.
    private var places = (tag: 0, body: 0)
    // It was prepared for these; no rev has 0 digits.
    private var epoch = ""
    private var digits = 0

    /// The date has changed.
    func forget() { digits = 0 }

    func append(_ applied: Applied, _ encoder: ResponseEncoder, to out: inout ByteBuffer) {
        let digits = ByteBuffer.digits(of: applied.rev)
        if digits != self.digits || applied.epoch != epoch {
            prepare(applied, digits, encoder)
        } else {
            answer.replace(at: places.tag, decimal: applied.rev)
            answer.repeat(digits, from: places.tag, at: places.body)
        }
        out.append(answer.bytes)
    }

    @inline(never)
    private func prepare(_ applied: Applied, _ digits: Int, _ encoder: ResponseEncoder) {
        epoch = applied.epoch
        self.digits = digits
        answer.removeAll()
        encoder.begin(.ok, ResponseFraming(), in: &answer)
        answer.append("ETag: \"")
        answer.append(utf8: epoch)
        answer.append(":")
        places.tag = answer.count
        answer.append(decimal: applied.rev)
        answer.append("\"\r\nContent-Type: application/json\r\n")
        answer.field("Content-Length", 20 + epoch.utf8.count + digits)
        answer.append("\r\n{\"epoch\":\"")
        answer.append(utf8: epoch)
        answer.append("\",\"rev\":")
        places.body = answer.count
        answer.append(decimal: applied.rev)
        answer.append("}\n")
    }
}
