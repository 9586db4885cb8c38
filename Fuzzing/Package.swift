// swift-tools-version: 6.2
// A package of its own: everything in it, the server's targets included, is compiled with
// libFuzzer's instrumentation. scripts/fuzz.sh builds and runs it.
import PackageDescription

let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "sluice", path: "..")],
    targets: [
        // libFuzzer's entry, for programs that bring a main of their own.
        .target(name: "CFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzer",
                .product(name: "CEL", package: "sluice"),
                .product(name: "SluiceParts", package: "sluice"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
