#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The figures as text: on the screen, and as a file of results.
struct Report {
    private(set) var text = ""

    mutating func line(_ line: String = "") {
        print(line)
        text += line + "\n"
    }

    mutating func head() {
        line("# Graph figures")
        line()
        line("\(today()), \(machine()), \(compiler()).")
        line(
            "CPU time of one thread, contestants interleaved, medians; the ratio is the median over the rounds. "
                + "Load of the machine when it began: \(load())."
        )
        line()
        line(
            "| case | contestant | ns per operation | ns per unit | fastest | × ours | allocations per operation |"
        )
        line("|---|---|---:|---:|---:|---:|---:|")
    }

    mutating func add(_ item: Case, _ result: Measuring.Result) {
        for (index, found) in result.measurements.enumerated() {
            let units = Double(item.units)
            var perUnit = "\(decimal(found.nanoseconds / units))"
            if index == 0, let target = item.target {
                perUnit += " (target \(decimal(target)) per \(item.unit))"
            }
            line(
                "| \(index == 0 ? item.name : "") | \(found.name) | \(decimal(found.nanoseconds)) | \(perUnit) "
                    + "| \(decimal(found.best / units)) | \(index == 0 ? "" : decimal(result.ratios[index])) "
                    + "| \(found.allocations.map { decimal($0) } ?? "unknown") |"
            )
        }
    }

    /// The published cases, one line each: how many times as fast, and the mean.
    mutating func add(_ published: Published) {
        line()
        line("## The eight published cases")
        line()
        line("Ten objects, a thousand sets. × is the geometric mean over the forms of a case.")
        line()
        line("| case | forms | × OpenCombine | least of its forms |")
        line("|---|---:|---:|---:|")
        for family in published.families {
            line(
                "| \(family.family.rawValue) | \(family.ratios.count) | \(decimal(family.mean)) | \(decimal(family.least)) |"
            )
        }
        line()
        line("Geometric mean of \(published.families.count) cases: **\(decimal(published.mean)) ×**.")
    }

    /// Bytes and blocks that one stage or listener takes.
    mutating func add(_ found: [Footprint]) {
        line()
        line("## Memory")
        line()
        line("| what | contestant | live heap bytes each | allocations each |")
        line("|---|---|---:|---:|")
        for footprint in found {
            line(
                "| \(footprint.what) | \(footprint.contestant) | \(decimal(footprint.bytes)) "
                    + "| \(decimal(footprint.allocations)) |"
            )
        }
    }

    /// Writes the text into a folder, under the date.
    func write(into folder: String) -> Bool {
        let name = "\(folder)/\(today())-graph.md"
        guard let file = fopen(name, "w") else { return false }
        defer { fclose(file) }
        return fputs(text, file) >= 0
    }

    private func today() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    }

    private func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Processor and number of cores, as the kernel tells.
    private func machine() -> String {
        var model = "unknown processor"
        if let file = fopen("/proc/cpuinfo", "r") {
            defer { fclose(file) }
            var buffer = [CChar](repeating: 0, count: 512)
            while fgets(&buffer, 512, file) != nil {
                let line = String(
                    decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
                    as: UTF8.self
                )
                guard line.hasPrefix("model name"), let colon = line.firstIndex(of: ":") else { continue }
                model = line[line.index(after: colon)...].split(whereSeparator: \.isWhitespace).joined(
                    separator: " "
                )
                break
            }
        }
        return "\(model), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) cores"
    }

    /// How many processes wanted a processor during the last minute.
    private func load() -> String {
        var average = 0.0
        return getloadavg(&average, 1) == 1 ? decimal(average) : "unknown"
    }

    private func compiler() -> String {
        #if compiler(>=6.4)
            "Swift 6.4 or newer"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }
}

/// A number with as many decimals as are worth reading.
func decimal(_ value: Double) -> String {
    let places = value < 10 ? 100.0 : value < 100 ? 10 : 1
    let rounded = (value * places).rounded() / places
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
}
