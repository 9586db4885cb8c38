import EventLoop
import Testing

@testable import ServiceClient

@Suite("The kernel's tables")
struct KernelTextTests {
    static let stat = """
        cpu  100 20 30 4000 50 6 7 8 9 10
        cpu0 50 10 15 2000 25 3 4 4 4 5
        cpu1 50 10 15 2000 25 3 3 4 5 5
        intr 114930548 113199788 3 0 5
        cpufreq nonsense
        ctxt 1990473
        """

    @Test("processor ticks are summed by mode; guests' time is not counted twice")
    func processor() throws {
        let figures = try #require(ProcessorFigures(Self.stat))
        #expect(figures.user == 100)
        #expect(figures.stolen == 8)
        #expect(figures.cores == 2)
        #expect(figures.busy == 100 + 20 + 30 + 6 + 7 + 8)
        #expect(figures.total == figures.busy + 4000 + 50)
    }

    @Test("old kernels have four modes")
    func oldProcessor() throws {
        let figures = try #require(ProcessorFigures("cpu 1 2 3 4\n"))
        #expect(figures.total == 10)
        #expect(figures.cores == 0)
    }

    @Test(
        "processor tables that make no sense are nothing",
        arguments: [
            "", "\n\n", "cpu", "cpu 1 2 3", "cpu 1 2 x 4", "cpu -1 2 3 4", "cpu 99999999999999999999 1 1 1",
            "cpu0 1 2 3 4",
        ]
    )
    func badProcessor(text: String) {
        #expect(ProcessorFigures(text) == nil)
    }

    @Test("the load is three numbers")
    func load() {
        #expect(LoadFigures("0.52 1.58 12.59 3/602 11206\n") == LoadFigures("0.52 1.58 12.59"))
        #expect(LoadFigures("0.52 1.58 12.59 3/602 11206\n")?.fifteen == 12.59)
        for text in ["", "0.5 0.6", "a b c", "nan 1 1", "-1 1 1", "inf 1 1"] {
            #expect(LoadFigures(text) == nil)
        }
    }

    @Test("the uptime is the first number")
    func uptime() {
        #expect(UptimeFigure("35678.90 12345.67\n")?.seconds == 35678.90)
        for text in ["", "x", "-1 2", "inf 1"] { #expect(UptimeFigure(text) == nil) }
    }

    @Test("memory is given in bytes; what is missing or odd stays unknown")
    func memory() {
        let figures = MemoryFigures(
            """
            MemTotal:       24683904 kB
            MemFree:        22000000 kB
            MemAvailable:   23000000 kB
            SwapTotal:             0 kB
            SwapFree:              x kB
            HugePages_Total:       0
            MemTotal: 99999999999999999999 kB
            """
        )
        // Typed in full: compared with a bare literal both sides would become `AnyHashable`.
        #expect(figures.total == 24_683_904 * 1024 as UInt64?)
        #expect(figures.available == 23_000_000 * 1024 as UInt64?)
        #expect(figures.swapTotal == 0 as UInt64?)
        #expect(figures.swapFree == nil)
        #expect(MemoryFigures("MemTotal: 18446744073709551615 kB").total == nil)
    }

    @Test("interfaces are summed, loopback apart; a counter may touch the colon")
    func network() throws {
        let figures = try #require(
            NetworkFigures(
                """
                Inter-|   Receive                                                |  Transmit
                 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
                    lo: 1000 10 0 0 0 0 0 0 1000 10 0 0 0 0 0 0
                  eth0:12345678 200 0 0 0 0 0 0 300 40 0 0 0 0 0 0
                 wlan0: 2 1 0 0 0 0 0 0 3 1 0 0 0 0 0 0
                broken: 1 2 3
                 worse: a b c d e f g h i j k l m n o p
                """
            )
        )
        #expect(
            figures.loopback
                == .init(receivedBytes: 1000, sentBytes: 1000)
        )
        #expect(
            figures.outside
                == .init(receivedBytes: 12_345_680, sentBytes: 303)
        )
        #expect(NetworkFigures("Inter-| Receive\n face |bytes\n") == nil)
        #expect(NetworkFigures("") == nil)
    }

    @Test("whole disks are summed; partitions and what is made of other disks are not")
    func disks() throws {
        func row(_ name: String, _ read: String, _ written: String) -> String {
            "   8       0 \(name) 10 1 \(read) 7 20 2 \(written) 9 0 5 16 0 0 0 0"
        }
        let figures = try #require(
            DiskFigures(
                [
                    row("sda", "100", "200"), row("sda1", "90", "190"), row("sda2", "10", "10"),
                    row("nvme0n1", "1000", "2000"), row("nvme0n1p1", "1000", "2000"), row("loop0", "7", "7"),
                    row("dm-0", "7", "7"), row("md127", "7", "7"), row("ram0", "7", "7"),
                    row("sr0", "7", "7"),
                    row("vda15", "1", "2"), row("bad", "x", "1"), "8 0 short 1 2 3",
                ].joined(separator: "\n")
            )
        )
        #expect(figures.readBytes == 1101 * 512)
        #expect(figures.writtenBytes == 2202 * 512)
        #expect(DiskFigures("") == nil)
        #expect(DiskFigures(row("loop0", "1", "1")) == nil)
    }

    @Test("no text, however mutilated, traps")
    func mutilated() {
        var random = Sequence(state: 0x9E37_79B9_7F4A_7C15)
        let texts = [
            Self.stat, "0.1 0.2 0.3 1/2 3", "MemTotal: 1 kB\nSwapFree: 2 kB",
            "lo: 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7",
        ]
        for _ in 0..<2000 {
            var bytes = Array(texts[Int(random.next() % UInt64(texts.count))].utf8)
            for _ in 0..<4 {
                let place = Int(random.next() % UInt64(bytes.count))
                if random.next() & 1 == 0 {
                    bytes[place] = UInt8(truncatingIfNeeded: random.next())
                } else {
                    bytes.remove(at: place)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = (ProcessorFigures(text), LoadFigures(text), UptimeFigure(text), MemoryFigures(text))
            _ = (NetworkFigures(text), DiskFigures(text))
        }
    }

    /// xorshift64: enough to mutilate texts.
    struct Sequence {
        var state: UInt64
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}

@Suite("A sample of this machine")
struct HostSampleTests {
    @Test("leaves out what the kernel did not say, and escapes nothing into the JSON")
    func partial() {
        var sample = HostSample()
        #expect(sample.batch(nil) == nil)
        sample.load = LoadFigures("0.5 1 2")
        sample.hostName = "we\"ird\\na.me-7\n"
        #expect(
            sample.batch(nil)
                == #"{"set":{"host_name":"weirdna.me-7","load_1":0.5,"load_5":1.0,"load_15":2.0}}"#
        )
    }

    @Test("has a value for every mutable node of config/graphs/host.yaml, and for no other")
    func definition() throws {
        let here = "\(#filePath)"
        let root = try #require(here.firstRange(of: "/Tests/ServiceClientTests/"))
        let path = here[..<root.lowerBound] + "/config/graphs/host.yaml"
        let yaml = String(decoding: try Files.read(String(path), limit: 1 << 20).bytes, as: UTF8.self)
        let declared = yaml.split(separator: "\n").filter { $0.contains("{ set:") }.map { line in
            line.split(separator: ":")[0].filter { $0 != " " }
        }
        #expect(declared.count > 10)
        #expect(HostSample.read().values.map(\.node).sorted() == declared.map { String($0) }.sorted())
    }
}
