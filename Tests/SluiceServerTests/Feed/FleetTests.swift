import TestSupport
import Testing

@testable import SluiceServer

@Suite("A simulated fleet")
struct FleetTests {
    /// What a batch sets, by the number of the device.
    private static func temperatures(_ batch: [UInt8]) throws -> [Int: Double] {
        let text = String(decoding: batch, as: UTF8.self)
        let body = try #require(text.wholeMatch(of: /{"set":{(.+)}}/)).output.1
        var found: [Int: Double] = [:]
        for entry in body.split(separator: ",") {
            let (_, number, value) = try #require(entry.wholeMatch(of: /"sensor\.(\d+)\.celsius":(-?[\d.]+)/)).output
            let device = try #require(Int(number))
            #expect(found.updateValue(try #require(Double(value)), forKey: device) == nil)
        }
        return found
    }

    @Test("ten batches have every device once, unless it is silent", arguments: [1, 7, 10, 25, 200])
    func round(devices: Int) throws {
        var fleet = Fleet(devices: devices, random: SeededGenerator(seed: 1))
        var seen: [Int: Int] = [:]
        for _ in 0..<min(devices, Fleet.parts) {
            for device in try Self.temperatures(fleet.next()).keys { seen[device, default: 0] += 1 }
        }
        #expect(seen.values.allSatisfy { $0 == 1 })
        #expect(seen.count >= devices * 95 / 100 && seen.keys.allSatisfy { (1...devices).contains($0) })
    }

    @Test("devices fall silent for some rounds and come back; temperatures stay those of rooms")
    func silence() throws {
        var fleet = Fleet(devices: 40, random: SeededGenerator(seed: 2))
        var silence: [Int: Int] = [:]
        var longest: [Int: Int] = [:]
        for _ in 0..<200 {
            var round: Set<Int> = []
            for _ in 0..<Fleet.parts {
                let temperatures = try Self.temperatures(fleet.next())
                #expect(temperatures.values.allSatisfy { (5...50).contains($0) })
                round.formUnion(temperatures.keys)
            }
            for device in 1...40 {
                if round.contains(device) {
                    longest[device] = max(longest[device] ?? 0, silence[device] ?? 0)
                    silence[device] = 0
                } else {
                    silence[device, default: 0] += 1
                }
            }
        }
        #expect((1...Fleet.parts).allSatisfy { longest[$0] == 0 })
        #expect(longest.values.filter { $0 >= 8 }.count > 10 && longest.values.allSatisfy { $0 <= 64 })
    }

    @Test("a batch of the largest fleet has room in a body of the customary size")
    func size() {
        var fleet = Fleet(devices: 10_000)
        for _ in 0..<20 { #expect(fleet.next().count < 48 * 1024) }
    }
}
