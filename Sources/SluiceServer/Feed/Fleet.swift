internal import Support

/// Simulated sensors: temperatures that wander, of devices that come and go.
///
/// Each batch has the temperatures of a tenth of the devices, so ten batches are a round. Now and then a device falls silent for
/// some rounds, and its node expires meanwhile.
struct Fleet {
    private struct Device {
        /// Tenths of a degree.
        var temperature: Int
        /// The temperature that it comes back to.
        let usual: Int
        /// Rounds until it reports again; 0: it reports.
        var silence = 0
    }

    /// How many batches a round has. The first so many devices always report, so every round has something to send.
    static let parts = 10

    private var devices: [Device]
    private var random: any RandomNumberGenerator
    private var turn = 0

    /// Makes so many devices; a seeded generator makes what they do repeatable.
    init(devices: Int, random: any RandomNumberGenerator = SystemRandomNumberGenerator()) {
        self.random = random
        self.devices = (0..<devices).map { number in
            let usual = 180 + number * 37 % 160
            return Device(temperature: usual, usual: usual)
        }
    }

    /// The body of the next batch: `{"set":{"sensor.7.celsius":21.5,…}}`, never empty.
    mutating func next() -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("{\"set\":{")
        var isEmpty = true
        repeat {
            for number in stride(from: turn, to: devices.count, by: Self.parts) where step(number) {
                if !isEmpty { buffer.append(",") }
                isEmpty = false
                buffer.append(json: "sensor.\(number + 1).celsius")
                buffer.append(":")
                buffer.append(utf8: "\(Double(devices[number].temperature) / 10)")
            }
            turn = (turn + 1) % Self.parts
        } while isEmpty
        buffer.append("}}")
        return Array(buffer.bytes)
    }

    /// Lets a round pass for a device.
    ///
    /// - Returns: whether it reports.
    private mutating func step(_ number: Int) -> Bool {
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
        return true
    }
}
