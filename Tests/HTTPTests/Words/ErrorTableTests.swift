import HTTP
import Support
import Testing

@Suite("The table of errors")
struct ErrorTableTests {
    /// What docs/protocol.md says under Errors, written down a second time.
    static let specified: [(codes: String, status: UInt16?, close: UInt16?, retry: Bool, after: Bool)] = [
        ("bad_json bad_op bad_field bad_request", 400, 4400, false, false),
        ("unauthenticated token_expired", 401, 4401, false, false),
        ("forbidden bad_origin", 403, 4403, false, false),
        ("not_found unknown_graph unknown_node unknown_id", 404, nil, false, false),
        ("not_mutable method_not_allowed", 405, nil, false, false),
        ("not_acceptable", 406, nil, false, false),
        ("timeout", 408, 4508, true, false),
        ("in_use read_only", 409, nil, false, false),
        ("gone", 410, nil, false, false),
        ("conflict", 412, nil, false, false),
        ("too_large", 413, 1009, false, false),
        ("uri_too_long", 414, nil, false, false),
        ("unsupported_type", 415, 1003, false, false),
        ("misdirected", 421, nil, false, false),
        ("type_mismatch key_reused cycle_limit", 422, nil, false, false),
        ("expr_syntax expr_type expr_cost expr_overflow expr_divide", 422, nil, false, false),
        ("expr_index expr_no_key expr_bad_value", 422, nil, false, false),
        ("node_failed", 424, nil, false, false),
        ("precondition_required", 428, nil, false, false),
        ("rate_limited sub_limit pipe_limit pattern_limit", 429, 4429, true, true),
        ("headers_too_large", 431, nil, false, false),
        ("id_in_use cycle", nil, nil, false, false),
        ("slow", nil, 4580, true, false),
        ("internal", 500, 1011, true, false),
        ("engine_down issuer_down no_space not_ready draining", 503, 4503, true, true),
        ("busy", 503, nil, true, true),
        ("too_many_connections", 503, 4529, true, true),
    ]

    @Test("every row is there, and no other")
    func rows() {
        var seen: Set<String> = []
        for line in Self.specified {
            for code in line.codes.split(separator: " ").map(String.init) {
                let row = ErrorTable.row(code)
                seen.insert(code)
                #expect(row.code == code)
                #expect(row.status?.rawValue == line.status, "\(code)")
                #expect(row.close?.rawValue == line.close, "\(code)")
                #expect(row.retry == line.retry, "\(code)")
                #expect(row.sendsRetryAfter == line.after, "\(code)")
                #expect(row.sentence.hasSuffix("."), "\(code)")
            }
        }
        #expect(Set(ErrorTable.rows.map(\.code)) == seen)
        #expect(ErrorTable.rows.count == seen.count)
    }

    @Test("close codes from 4500 on mean that coming back is worth while")
    func reconnection() {
        for row in ErrorTable.rows {
            guard let close = row.close, close.rawValue >= 4500 else { continue }
            #expect(row.retry, "\(row.code)")
        }
    }

    @Test("a code without a row is answered as internal")
    func unknown() {
        #expect(ErrorTable.row("never_heard_of").code == "internal")
        #expect(!ErrorTable.knows("never_heard_of") && ErrorTable.knows("conflict"))
    }

    @Test("sentences name the limits in force")
    func limits() {
        let limits = Limits()
        #expect(ErrorTable.row("uri_too_long").sentence.contains("\(limits.targetBytes / 1024) KiB"))
        let head = ErrorTable.row("headers_too_large").sentence
        #expect(head.contains("\(limits.headerBytes / 1024) KiB or \(limits.headerFields) fields"))
    }

    @Test("every status has a phrase")
    func phrases() {
        for row in ErrorTable.rows {
            guard let status = row.status else { continue }
            #expect(status.phrase.description != "Unknown", "\(status.rawValue)")
        }
    }
}
