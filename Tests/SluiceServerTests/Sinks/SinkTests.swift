import HTTP
import Testing

@testable import SluiceServer

@Suite("Sinks")
struct SinkTests {
    private func outcome(_ status: Int, _ retryAfter: String? = nil, at now: Int64 = 0) -> SinkOutcome {
        SinkOutcome(status: status, retryAfter: retryAfter, at: now)
    }

    @Test("A status says whether the value has arrived, may arrive later, or never will")
    func statuses() {
        for status in [200, 201, 204, 299] { #expect(outcome(status) == .arrived) }
        for status in [408, 425, 429, 500, 502, 503, 504, 599] {
            #expect(outcome(status) == .failed("status \(status)"))
        }
        for status in [300, 301, 307, 400, 401, 404, 410, 422] {
            #expect(outcome(status) == .refused("status \(status)"))
        }
    }

    @Test("Retry-After is seconds or a date, of 429 and 503 only")
    func retryAfter() {
        let now: Int64 = 1_795_000_000_000
        let date = HTTPDate(unixSeconds: now / 1_000 + 90).text
        let past = HTTPDate(unixSeconds: now / 1_000 - 90).text
        for status in [429, 503] {
            func wait(_ text: String?) -> SinkOutcome { outcome(status, text, at: now) }
            #expect(wait("7") == .failed("status \(status)", after: 7_000))
            #expect(wait("0") == .failed("status \(status)", after: 0))
            #expect(wait(date) == .failed("status \(status)", after: 90_000))
            #expect(wait(past) == .failed("status \(status)", after: 0))
            for wrong in [
                nil, "", "-1", "1.5", "soon", "99999999999999999999", "Tue, 31 Feb 2026 10:00:00 GMT",
            ] {
                #expect(wait(wrong) == .failed("status \(status)"), "\(wrong ?? "none")")
            }
        }
        // The receiver's clock is an hour ahead, and so is its date.
        let sent = HTTPDate(unixSeconds: now / 1_000 + 3_600).text
        let again = HTTPDate(unixSeconds: now / 1_000 + 3_690).text
        #expect(
            SinkOutcome(status: 503, retryAfter: again, date: sent, at: now)
                == .failed("status 503", after: 90_000)
        )
        #expect(
            SinkOutcome(status: 503, retryAfter: date, date: "now", at: now)
                == .failed("status 503", after: 90_000)
        )
        #expect(outcome(500, "7", at: now) == .failed("status 500"))
        #expect(outcome(200, "7", at: now) == .arrived)
    }

    @Test("A redirect says where it leads, without what may be a secret of the sink")
    func locations() {
        #expect(
            SinkOutcome(status: 307, location: "/new", at: 0) == .refused("status 307, Location: /new")
        )
        #expect(SinkOutcome(status: 401, location: "/new", at: 0) == .refused("status 401"))
        for (location, target, shown) in [
            ("https://a/new", "/hook", "https://a/new"), ("https://a/new", "/", "https://a/new"),
            ("https://a/hook/T0K", "/hook/T0K", "https://a/..."), ("/h/?key=T0K", "/h?key=T0K", "/.../?..."),
            ("/a\u{1B}[2Jb", "/", "/a?[2Jb"), ("/ü", "/", "/??"),
            (String(repeating: "/", count: 300), "/", String(repeating: "/", count: 200) + "..."),
        ] {
            #expect(SinkOutcome.shown(location, hiding: target) == shown)
        }
    }

    @Test("The pause grows from a second to a minute, and is as long as the receiver asks, up to ten minutes")
    func pauses() {
        for (failures, longest) in [
            (0, 1_000), (1, 1_000), (2, 2_000), (5, 16_000), (7, 60_000), (.max, 60_000),
        ] {
            for _ in 0..<100 {
                #expect((longest / 2...longest).contains(Sink.pause(after: failures)))
                #expect(Sink.pause(after: failures, atLeast: 120_000) == 120_000)
            }
        }
        #expect(Sink.pause(after: 1, atLeast: .max) == 600_000)
        #expect(Sink.pause(after: 1, atLeast: 10) >= 500)
    }

    private func value(_ text: String) -> SinkValue { SinkValue(body: Array(text.utf8), rev: 1, key: "k") }

    @Test("Mode latest sends changes: what is equal to the value that arrived last is not sent")
    func changes() {
        var changes = SinkChanges()
        func isSent(_ text: String, repeats: Bool = false) -> Bool {
            changes.begins(value(text), repeats: repeats)
        }
        #expect(isSent("1"))
        #expect(isSent("1"), "it is not known to have arrived")
        changes.arrived(value("1"))
        #expect(!isSent("1"))
        #expect(!isSent("1.0"), "values are compared, not texts")
        #expect(isSent("1", repeats: true))
        changes.end()
        #expect(isSent("1"), "the node was empty")
        #expect(!isSent("1"))
        #expect(isSent("2"))
        changes.failed()
        #expect(isSent("1"), "the receiver may have taken 2")
        changes.arrived(value(#"{"a":1,"b":2}"#))
        #expect(!isSent(#"{"b":2, "a":1}"#))
    }

    @Test("What the receiver refused is kept until a newer value comes")
    func refusedValues() {
        var changes = SinkChanges()
        changes.refused(value("1"))
        let isSent = changes.begins(value("1"), repeats: false)
        let (kept, none) = (changes.takeRefused(), changes.takeRefused())
        #expect(isSent && kept == value("1") && none == nil)
        changes.refused(value("1"))
        changes.came()
        let overtaken = changes.takeRefused()
        #expect(overtaken == nil)
    }
}
