// Ten thousand models of views come and go: Tests/EndToEnd/test_client_swift.py plays it, with
// lines on standard input for what is to happen next.
import SluiceClient

/// What a view of a sensor shows.
@MainActor
final class SensorModel {
    let celsius: SettableValue<Double>
    let fahrenheit: LiveValue<Double>

    init(_ client: SluiceClient, sensor: Int) {
        celsius = client.node("fleet/sensor.\(sensor).celsius").settable()
        fahrenheit = client.node("fleet/sensor.\(sensor).fahrenheit").live()
    }
}

let client = try SluiceClient(CommandLine.arguments[1])
let count = 10_000
var models = (0..<count).map { SensorModel(client, sensor: $0) }
weak let oneOfThem = models[17].fahrenheit
await until { models.allSatisfy { $0.celsius.meta != nil && $0.fahrenheit.meta != nil } }
print("shown")
_ = readLine()
models.prefix(100).forEach { $0.celsius.value = 100 }
await until { models.prefix(100).allSatisfy { $0.fahrenheit.value == 212 } }
print("set")
_ = readLine()
// The dismissed views take their models with them.
models = []
print(oneOfThem == nil ? "dismissed" : "still there")
_ = readLine()

/// Lets views and deliveries have their turns until the claim holds.
@MainActor
func until(_ claim: () -> Bool) async {
    while !claim() { await Task.yield() }
}
