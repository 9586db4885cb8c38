internal import Support

/// Simulated sensors: temperatures that wander, of devices that come and go.
///
/// Each batch has the temperatures of a tenth of the devices, so ten batches are a round. Now and
/// then a device falls silent for some rounds, and its node expires meanwhile.
///
/// On demand a device reports only while a client listens to it, and otherwise twice a minute, so
/// that globs and `all` find it.
struct Fleet {
    private struct Device {
        /// Tenths of a degree.
        var temperature: Int
        /// The temperature that it comes back to.
        let usual: Int
        /// Rounds until it reports again; 0: it reports.
        var silence = 0
        /// Rounds since its last report; nil: it has never reported.
        var quiet: Int?
    }

    /// How many batches a round has.
    ///
    /// The first devices, as many as this, never fall silent: there is always something to send.
    static let parts = 10

    private var devices: [Device]
    private var random: any RandomNumberGenerator
    private var turn = 0
    /// After how many rounds an unwanted device reports.
    private let longestQuiet: Int

    /// A number of devices that send a batch per interval; a seeded generator makes them
    /// repeatable.
    init(
        devices: Int,
        every interval: Duration,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.random = random
        longestQuiet = max(1, Int(Duration.seconds(30) / (interval * Self.parts)))
        self.devices = (0..<devices).map { number in
            let usual = 180 + number * 37 % 160
            return Device(temperature: usual, usual: usual)
        }
    }

    /// The body of the next batch: `{"set":{"sensor.7.celsius":21.5,…}}`.
    ///
    /// - Parameter demand: the wanted nodes; nil: all.
    /// - Returns: nil if nothing in the batch is wanted.
    mutating func next(_ demand: Demand? = nil) -> [UInt8]? {
        var reports: [Int] = []
        repeat {
            for number in stride(from: turn, to: devices.count, by: Self.parts) where step(number, demand) {
                reports.append(number)
            }
            turn = (turn + 1) % Self.parts
        } while reports.isEmpty && demand == nil
        for name in (demand?.fresh ?? []).sorted() {
            guard let number = number(of: name), devices[number].silence == 0, !reports.contains(number)
            else {
                continue
            }
            reports.append(number)
        }
        return reports.isEmpty ? nil : body(reports)
    }

    private func body(_ reports: [Int]) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("{\"set\":{")
        buffer.append(separated: reports) { number, buffer in
            buffer.append(json: name(of: number))
            buffer.append(":")
            buffer.append(utf8: "\(Double(devices[number].temperature) / 10)")
        }
        buffer.append("}}")
        return Array(buffer.bytes)
    }

    private func name(of number: Int) -> String { "sensor.\(number + 1).celsius" }

    /// The device of the node with that name.
    private func number(of name: String) -> Int? {
        let parts = name.split(separator: ".")
        guard parts.count == 3, let number = Int(parts[1]), devices.indices.contains(number - 1) else {
            return nil
        }
        return number - 1
    }

    /// Advances a device by a round.
    ///
    /// - Returns: whether it reports.
    private mutating func step(_ number: Int, _ demand: Demand?) -> Bool {
        var device = devices[number]
        defer { devices[number] = device }
        if device.silence > 0 {
            device.silence -= 1
            return false
        }
        if number >= Self.parts, Int.random(in: 0..<200, using: &random) == 0 {
            device.silence = Int.random(in: 8...30, using: &random)
            return false
        }
        device.temperature += (device.usual - device.temperature) / 8 + Int.random(in: -4...4, using: &random)
        let quiet = device.quiet.map { $0 + 1 } ?? longestQuiet
        guard quiet >= longestQuiet || demand?.wanted.contains(name(of: number)) ?? true else {
            device.quiet = quiet
            return false
        }
        device.quiet = 0
        return true
    }
}
