import SluiceClient

let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
let client = try SluiceClient(address)
let indoors = client.node("house/indoor_c", as: Double.self)
for try await celsius in indoors.values() {
    print("indoors: \(celsius) °C")
}
