internal import Support

/// Sensors that are not there: temperatures that wander, of devices that come and go.
///
/// With each batch a tenth of the devices that are awake tell their temperature. Now and then one falls asleep, and says nothing for a
/// while: its node expires. Some wake up again.
struct Fleet {
    private struct Device {
        /// Tenths of a degree.
        var temperature: Int
        /// What the place where it stands comes back to.
        let usual: Int
        /// Batches until it wakes up; 0: it is awake.
        var sleep = 0
    }

    private var devices: [Device]
    private var random: any RandomNumberGenerator
    private var turn = 0

    /// Of ten parts of the fleet one speaks in each batch.
    private static var parts: Int { 10 }

    /// So many devices; a generator makes what they do repeatable.
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
        var isFirst = true
        // The first batch has all of them.
        for number in devices.indices where turn == 0 || number % Self.parts == turn % Self.parts {
            guard turn == 0 || wanders(number) else { continue }
            if !isFirst { buffer.append(",") }
            isFirst = false
            buffer.append(json: "sensor.\(number + 1).celsius")
            buffer.append(":")
            buffer.append(utf8: "\(Double(devices[number].temperature) / 10)")
        }
        turn += 1
        // A part in which all sleep: the next one speaks.
        if isFirst { return next() }
        buffer.append("}}")
        return Array(buffer.bytes)
    }

    /// One step of a device; says whether it is awake.
    private mutating func wanders(_ number: Int) -> Bool {
        var device = devices[number]
        defer { devices[number] = device }
        if device.sleep > 0 {
            device.sleep -= 1
            return false
        }
        // The first one always says something, so that there is always something to send.
        if number >= Self.parts, Int.random(in: 0..<200, using: &random) == 0 {
            device.sleep = Int.random(in: 8...30, using: &random)
            return false
        }
        let pull = (device.usual - device.temperature) / 8
        device.temperature += pull + Int.random(in: -4...4, using: &random)
        return true
    }
}
