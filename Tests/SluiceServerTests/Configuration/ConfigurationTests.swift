import Testing
import Values

@testable import SluiceServer

@Suite("The configuration")
struct ConfigurationTests {
    private func read(_ text: String) -> ConfigurationReader {
        var reader = ConfigurationReader()
        reader.read(file: Array(text.utf8), named: "s.yaml")
        return reader
    }

    @Test("the command line goes before the environment, that before the file, that before the defaults")
    func precedence() {
        var reader = read("drain: 1s\nheartbeat: 2s\nlimits: { subs: 7, body: 1KiB }\nhosts: [a, b]\n")
        reader.read(environment: ["SLUICE_HEARTBEAT": "3s", "SLUICE_LIMITS_SUBS": "8", "HOME": "/"])
        reader.set("limits.subs", "9")
        #expect(reader.problems.isEmpty)
        #expect(reader.configuration.drain == .seconds(1))
        #expect(reader.configuration.heartbeat == .seconds(3))
        #expect(reader.configuration.subscriptions == 9)
        #expect(reader.configuration.body == 1024)
        #expect(reader.configuration.hosts == ["a", "b"])
        let table = reader.table
        #expect(table.contains("# s.yaml:1"))
        #expect(table.contains("# SLUICE_HEARTBEAT"))
        #expect(table.contains("# command line"))
        #expect(table.contains("# default"))
    }

    @Test(
        "every problem of a file is reported with its place",
        arguments: [
            ("lisen: 1", "s.yaml:1:1: unknown key 'lisen' (did you mean 'listen'?)"),
            ("limts:\n  body: 5", "s.yaml:1:1: unknown key 'limts' (did you mean 'limits'?)"),
            ("log:\n  level: loud", "s.yaml:2:10: 'log.level' must be one of trace"),
            ("drain: 5x", "s.yaml:1:8: 'drain' must be a duration"),
            ("drain: -5s", "s.yaml:1:8: 'drain' must be a duration"),
            ("drain: 1s\ndrain: 2s", "s.yaml:2:1: 'drain' is given twice"),
            ("log: info", "s.yaml:1:6: 'log' must be a mapping"),
            ("limits: { body: 0 }", "s.yaml:1:17: 'limits.body' must be a number of bytes"),
            ("limits: { body: 99999999999999999999 }", "'limits.body' must be"),
            ("listen: nowhere", "s.yaml:1:9: 'listen' must be address:port"),
            ("admin: { listen: nowhere }", "s.yaml:1:18: 'admin.listen' must be address:port"),
            ("origins: [example.org]", "'origins' must be a list of origins"),
            ("diagnostics: { echo: yes }", "'diagnostics.echo' must be true or false"),
            (
                "origins:\n  - https://a.example\n  - https://a.example/x",
                "('https://a.example/x' is not valid: write 'https://a.example')"
            ),
            ("hosts:", "'hosts' must be a list"),
            ("- 1", "a configuration is a mapping"),
            ("a: [", "this is not YAML"),
        ]
    )
    func problems(text: String, problem: String) {
        let problems = read(text).problems.map(\.description)
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }

    @Test("environment and command line are checked like the file; foreign variables only warn")
    func otherSources() {
        var reader = ConfigurationReader()
        let kubernetes = [
            "SLUICE_PORT": "tcp://1.2.3.4:80", "SLUICE_PORT_80_TCP_ADDR": "1.2.3.4",
            "SLUICE_SERVICE_HOST": "1.2.3.4",
        ]
        reader.read(environment: kubernetes)
        #expect(reader.warnings == [])
        reader.read(environment: ["SLUICE_DRAIN": "soon", "SLUICE_DATADIR": "data"])
        reader.set("drainn", "1s")
        reader.set("redis", "redis://127.0.0.1")
        #expect(reader.problems.count == 3)
        let group = "--set redis: unknown key 'redis' (one of redis.url, "
        #expect(reader.problems.last?.description.hasPrefix(group) == true, "\(reader.problems)")
        #expect(reader.warnings == ["SLUICE_DATADIR names no key (did you mean 'SLUICE_DATA_DIR'?)"])
    }

    @Test("a duration without a unit is a warning in a file, and milliseconds; 0 needs none")
    func units() {
        var reader = ConfigurationReader()
        let text = "times: { idle: 90000 }\nheartbeat: 20s\norphanExpiry: 0\n"
        reader.read(file: Array(text.utf8), named: "c.yaml")
        reader.read(environment: ["SLUICE_TIMES_IDLE": "90000"])
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        #expect(
            reader.warnings == [
                "c.yaml:1:16: 'times.idle' has no unit: 90000 means milliseconds (write 90000ms, or 90000s if seconds are meant)"
            ]
        )
    }

    @Test(
        "a list on the command line or in the environment is YAML's [a, b], or words with commas",
        arguments: [
            (#"["https://a.example"]"#, ["https://a.example"]),
            ("[ https://a.example, 'http://b:81' ]", ["https://a.example", "http://b:81"]),
            ("https://a.example, http://[::1]:81", ["https://a.example", "http://[::1]:81"]),
            ("https://a.example", ["https://a.example"]),
            ("[]", []), ("", []),
        ]
    )
    func lists(text: String, origins: [String]) {
        var reader = ConfigurationReader()
        reader.set("origins", text)
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        #expect(reader.configuration.origins == origins)
        reader = ConfigurationReader()
        reader.read(environment: ["SLUICE_ORIGINS": text])
        #expect(reader.configuration.origins == origins)
    }

    @Test(
        "an invalid origin is refused, with the one that was probably meant",
        arguments: [
            ("https://a.example/", "https://a.example"), ("https://a.example/x?y", "https://a.example"),
            ("HTTPS://A.example", "https://a.example"), ("a.example:8443", "https://a.example:8443"),
            ("https://a.example:0x", nil), ("https://a.example:70000", nil), ("https://", nil),
            (#"["https://a.example""#, nil), ("https://me@a.example", nil),
        ]
    )
    func origins(text: String, meant: String?) {
        var reader = ConfigurationReader()
        reader.read(environment: ["SLUICE_CORS": text])
        reader.set("origins", text)
        let hint = "('\(text)' is not valid" + (meant.map { ": write '\($0)')" } ?? ")")
        let said = reader.problems.map(\.description)
        #expect(said.count == 2 && said.allSatisfy { $0.hasSuffix(hint) }, "\(said)")
        #expect(said[0].hasPrefix("SLUICE_CORS: 'cors' must be a list of origins"))
        #expect(said[1].hasPrefix("--set origins: 'origins' must be a list of origins"))
    }

    @Test("an origin is kept as browsers send it: without the port that its scheme has anyway")
    func originsWithPorts() {
        var reader = ConfigurationReader()
        reader.set("origins", "https://a:443, http://[::1]:80, https://a:80, http://a:8080, http://a:180")
        #expect(
            reader.configuration.origins
                == ["https://a", "http://[::1]", "https://a:80", "http://a:8080", "http://a:180"]
        )
    }

    @Test("files have no origin that could be allowed", arguments: ["null", "file:///a.html"])
    func originOfFiles(text: String) {
        var reader = ConfigurationReader()
        reader.set("origins", text)
        #expect(reader.problems.first?.hint?.hasSuffix("serve the page over http") == true)
    }

    @Test("an empty file means the defaults, and the shipped one says the defaults")
    func defaults() {
        #expect(read("").problems.isEmpty)
        #expect(read("# nothing\n").problems.isEmpty)
    }

    @Test(
        "names in the environment",
        arguments: [
            ("limits.connectionsPerAddress", "SLUICE_LIMITS_CONNECTIONS_PER_ADDRESS"),
            ("listen", "SLUICE_LISTEN"),
        ]
    )
    func environmentNames(key: String, name: String) {
        let found = Keys.all.first { $0.name == key }
        #expect(found?.environmentName == name)
    }

    @Test("there are at most 55 keys, each with a sentence; the defaults stand once")
    func fewKeys() {
        #expect(Keys.all.count <= 55)
        #expect((Keys.all.map(\.text) + FixedLimit.all.map(\.text)).allSatisfy { $0.hasSuffix(".") })
        let names = Keys.all.map(\.name) + FixedLimit.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    @Test(
        "a limit that is fixed is no key, and the hint says its value",
        arguments: [
            (
                "limits: { definition: 1MiB }",
                "1:11: unknown key 'limits.definition' (limits.body has taken its place)"
            ),
            ("limits: { work: 5 }", "1:11: unknown key 'limits.work' (limits.work is fixed at 100;"),
            (
                "memory: { pressure: auto }",
                "unknown key 'memory.pressure' (memory.pressure is fixed at auto;"
            ),
        ]
    )
    func fixedLimits(text: String, problem: String) {
        #expect(read(text).problems.map(\.description).contains { $0.contains(problem) })
        var reader = ConfigurationReader()
        reader.set("times.hello", "1s")
        #expect(reader.problems.map(\.description).contains { $0.contains("times.hello is fixed at 5s;") })
        reader.read(environment: ["SLUICE_TIMES_HELLO": "1s"])
        #expect(reader.warnings.contains { $0.contains("times.hello is fixed at 5s;") })
    }

    @Test("the shipped file reads without a problem, with the defaults but for the folder of commits")
    func shippedFile() {
        let reader = read(ConfigurationDocuments.file)
        #expect(reader.problems.isEmpty, "\(reader.problems)")
        for key in Keys.all { #expect(key.show(reader.configuration) == key.shippedText, "\(key.name)") }
    }

    @Test("every shown value reads as itself")
    func roundTrip() {
        let configuration = Configuration()
        for key in Keys.all {
            var other = Configuration()
            let shown = key.show(configuration)
            let value: ConfigurationValue = shown == "[]" ? .list([]) : .scalar(shown)
            #expect(key.set(value, in: &other), "\(key.name)")
            #expect(key.show(other) == shown)
        }
    }
}
