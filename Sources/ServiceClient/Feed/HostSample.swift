internal import EventLoop
internal import Support

/// The present figures of this machine: all mutable nodes of `config/graphs/host.yaml`.
struct HostSample {
    var processor: ProcessorFigures?
    var load: LoadFigures?
    var uptime: UptimeFigure?
    var memory: MemoryFigures?
    var network: NetworkFigures?
    var disk: DiskFigures?
    var space: (total: UInt64, available: UInt64)?
    var hostName = ""

    /// Reads all figures from the kernel; missing ones are nil.
    static func read() -> HostSample {
        func text(_ path: String) -> String {
            ((try? Files.readKernelFile(path)) ?? []).withBorrowedBytes {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return HostSample(
            processor: ProcessorFigures(text("/proc/stat")),
            load: LoadFigures(text("/proc/loadavg")),
            uptime: UptimeFigure(text("/proc/uptime")),
            memory: MemoryFigures(text("/proc/meminfo")),
            network: NetworkFigures(text("/proc/net/dev")),
            disk: DiskFigures(text("/proc/diskstats")),
            space: try? Files.space(at: "/"),
            hostName: OwnProcess.hostName
        )
    }

    /// The figures under their nodes' names, in the order of the definition; missing ones are left
    /// out.
    var values: [(node: String, json: String)] {
        var values: [(node: String, json: String)] = []
        func add(_ node: String, _ value: (some CustomStringConvertible)?) {
            if let value { values.append((node, value.description)) }
        }
        let name = hostName.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") }
        add("host_name", name.isEmpty ? nil : "\"\(name)\"")
        add("uptime_s", uptime?.seconds)
        if let cores = processor?.cores, cores > 0 { add("cores", cores) }
        add("cpu_busy_ticks", processor?.busy)
        add("cpu_ticks", processor?.total)
        add("load_1", load?.one)
        add("load_5", load?.five)
        add("load_15", load?.fifteen)
        add("mem_total", memory?.total)
        add("mem_available", memory?.available)
        add("swap_total", memory?.swapTotal)
        add("swap_free", memory?.swapFree)
        add("net_rx_bytes", network?.outside.receivedBytes)
        add("net_tx_bytes", network?.outside.sentBytes)
        add("lo_rx_bytes", network?.loopback.receivedBytes)
        add("disk_read_bytes", disk?.readBytes)
        add("disk_write_bytes", disk?.writtenBytes)
        add("disk_total", space?.total)
        add("disk_available", space?.available)
        return values
    }

    /// The body of `POST /v1/graphs/{g}/batch`; nil if nothing is wanted.
    func batch(_ demand: Demand?) -> String? {
        let sent = values.filter { value in
            demand.map { $0.wanted.contains(value.node) || $0.fresh.contains(value.node) } ?? true
        }
        guard !sent.isEmpty else { return nil }
        let members = sent.map { "\"\($0.node)\":\($0.json)" }
        return "{\"set\":{" + members.joined(separator: ",") + "}}"
    }
}
