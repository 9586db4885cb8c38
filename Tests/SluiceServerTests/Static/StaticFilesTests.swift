import LogTestSupport
import Testing

@testable import SluiceServer

@Suite("Static files")
struct StaticFilesTests {
    @Test("files have their type, a tag, and headers that restrict browsers")
    func serving() throws {
        let server = try TestServer()
        let page = try server.request("GET", "/")
        #expect(page.status == 200)
        #expect(page.fields["content-type"] == "text/html; charset=utf-8")
        #expect(page.fields["cache-control"] == "no-cache")
        #expect(page.fields["x-content-type-options"] == "nosniff")
        #expect(page.fields["referrer-policy"] == "no-referrer")
        #expect(page.fields["cross-origin-opener-policy"] == "same-origin")
        let policy = try #require(page.fields["content-security-policy"])
        #expect(
            policy.hasPrefix(
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            )
        )
        #expect(policy.contains("connect-src 'self' ws://localhost;"))
        #expect(policy.hasSuffix("frame-ancestors 'none'"))
        let tag = try #require(page.fields["etag"])
        let again = try server.request("GET", "/index.html", "If-None-Match: \(tag)\r\n")
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        let head = try server.request("HEAD", "/app.js")
        #expect(head.fields["content-length"] == "9")
        #expect(head.fields["content-type"] == "text/javascript; charset=utf-8")
        #expect(head.body.isEmpty)
        server.folder.write("public/app.js", "let a = 22")
        #expect(
            try server.request("GET", "/app.js", "If-None-Match: \(head.fields["etag"] ?? "")\r\n").status
                == 200
        )
    }

    @Test(
        "what lies outside, is hidden, or is no file is not there",
        arguments: [
            "/../secret", "/%2e%2e/secret", "/a/../../secret", "/.hidden", "/a/.hidden", "/index.html%00.png",
            "/a\\b",
            "//index.html", "/a", "/a/", "/out.txt", "/outside/secret", "/index.html/", "/pipe", "/missing",
            "/%2findex.html",
            "/index.html%2f",
        ]
    )
    func refusals(path: String) throws {
        let server = try TestServer()
        server.folder.write("secret", "secret")
        server.folder.write("public/.hidden", "secret")
        server.folder.write("public/a/.hidden", "secret")
        server.folder.link("public/out.txt", to: "../secret")
        server.folder.link("public/outside", to: "..")
        server.folder.pipe("public/pipe")
        let answer = try server.request("GET", path)
        #expect(answer.status == 404 || answer.status == 400, "\(answer.text)")
        #expect(!answer.body.contains("secret"))
    }

    @Test("a link that stays inside is followed")
    func links() throws {
        let server = try TestServer()
        server.folder.link("public/inside.js", to: "app.js")
        #expect(try server.request("GET", "/inside.js").body == "let a = 1")
    }

    @Test("a large file is compressed on another thread; until that is done it is sent as it is")
    func large() throws {
        let server = try TestServer()
        let lines = (0..<30_000).map { "line \($0)" }.joined(separator: "\n")
        server.folder.write("public/large.txt", lines)
        let wish = "Accept-Encoding: gzip\r\n"
        let first = try server.request("GET", "/large.txt", wish)
        #expect(first.fields["content-encoding"] == nil && first.fields["vary"] == "Accept-Encoding")
        #expect(first.body == lines)
        let plain = try #require(first.fields["etag"])
        var later = first
        #expect(
            server.until {
                later = (try? server.request("HEAD", "/large.txt", wish)) ?? first
                return later.fields["content-encoding"] == "gzip"
            }
        )
        let coded = try #require(later.fields["etag"])
        #expect(coded.hasSuffix("-gz\"") && coded != plain)
        #expect(Int(later.fields["content-length"] ?? "").map { $0 < lines.utf8.count / 2 } == true)
        #expect(try server.request("GET", "/large.txt", wish + "If-None-Match: \(coded)\r\n").status == 304)
        #expect(try server.request("HEAD", "/large.txt", wish + "If-None-Match: \(plain)\r\n").status == 200)
        #expect(try server.request("GET", "/large.txt", "If-None-Match: \(plain)\r\n").status == 304)

        // Another version is another file, which has not been compressed yet.
        server.folder.write("public/large.txt", lines + "!")
        let changed = try server.request("GET", "/large.txt", wish)
        #expect(changed.fields["content-encoding"] == nil && changed.body == lines + "!")
    }
}
