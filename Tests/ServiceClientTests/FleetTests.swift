import TestSupport
import Testing

@testable import ServiceClient

@Suite("A simulated fleet")
struct FleetTests {
    /// What a batch sets, by the number of the device.
    private static func temperatures(_ batch: [UInt8]?) throws -> [Int: Double] {
        guard let batch else { return [:] }
        let text = String(decoding: batch, as: UTF8.self)
        let body = try #require(text.wholeMatch(of: /{"set":{(.+)}}/)).output.1
        var found: [Int: Double] = [:]
        for entry in body.split(separator: ",") {
            let (_, number, value) = try #require(entry.wholeMatch(of: /"sensor\.(\d+)\.celsius":(-?[\d.]+)/))
                .output
            let device = try #require(Int(number))
            #expect(found.updateValue(try #require(Double(value)), forKey: device) == nil)
        }
        return found
    }

    @Test("ten batches have every device once, unless it is silent", arguments: [1, 7, 10, 25, 200])
    func round(devices: Int) throws {
        var fleet = Fleet(devices: devices, every: .seconds(1), random: SeededGenerator(seed: 1))
        var seen: [Int: Int] = [:]
        for _ in 0..<min(devices, Fleet.parts) {
            for device in try Self.temperatures(fleet.next()).keys { seen[device, default: 0] += 1 }
        }
        #expect(seen.values.allSatisfy { $0 == 1 })
        #expect(seen.count >= devices * 95 / 100 && seen.keys.allSatisfy { (1...devices).contains($0) })
    }

    @Test("devices fall silent for some rounds and come back; temperatures stay those of rooms")
    func silence() throws {
        var fleet = Fleet(devices: 40, every: .seconds(1), random: SeededGenerator(seed: 2))
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
        var fleet = Fleet(devices: 10_000, every: .seconds(1))
        for _ in 0..<20 { #expect((fleet.next()?.count ?? 0) < 48 * 1024) }
    }

    @Test("D-3: on demand a device reports what is wanted, at once what is fresh, and else every 30 seconds")
    func onDemand() throws {
        var fleet = Fleet(devices: 5, every: .seconds(1), random: SeededGenerator(seed: 3))
        let nothing = Demand(wanted: [], fresh: [])
        func rounds(_ count: Int, _ demand: Demand) throws -> [Int: Int] {
            var seen: [Int: Int] = [:]
            for _ in 0..<count * Fleet.parts {
                for device in try Self.temperatures(fleet.next(demand)).keys { seen[device, default: 0] += 1 }
            }
            return seen
        }
        #expect(try rounds(1, nothing) == [1: 1, 2: 1, 3: 1, 4: 1, 5: 1], "that it is there")
        #expect(try rounds(2, nothing).isEmpty)
        let second = Demand(wanted: ["sensor.2.celsius"], fresh: [])
        #expect(try rounds(3, second) == [1: 1, 2: 3, 3: 1, 4: 1, 5: 1])
        // It is the turn of device 1.
        let asked = Demand(
            wanted: ["sensor.4.celsius"],
            fresh: ["sensor.4.celsius", "sensor.9.celsius", "x"]
        )
        #expect(try Self.temperatures(fleet.next(asked)).keys.sorted() == [1, 4])
    }
}
