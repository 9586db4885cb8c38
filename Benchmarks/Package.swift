// swift-tools-version: 6.2
// A package of its own, so that building the server does not fetch what only a comparison needs.
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "sluice", path: ".."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    ],
    targets: [
        // Counts calls of the allocator.
        .target(name: "CAllocations"),
        // What the same graph costs in C.
        .target(name: "CNodes"),
        .executableTarget(
            name: "GraphBenchmarks",
            dependencies: [
                "CAllocations",
                "CNodes",
                .product(name: "ReactiveGraph", package: "sluice"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
        .executableTarget(
            name: "HostBenchmarks",
            dependencies: ["CAllocations", .product(name: "SluiceParts", package: "sluice")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
        .systemLibrary(
            name: "CLua",
            pkgConfig: "lua5.4",
            providers: [.apt(["liblua5.4-dev"]), .brew(["lua@5.4"])]
        ),
        .executableTarget(
            name: "ExpressionBenchmarks",
            dependencies: ["CAllocations", "CLua", .product(name: "CEL", package: "sluice")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]
        ),
        // Looks for expressions that take more time than they are charged for; scripts/nightly.sh
        // runs it.
        .executableTarget(
            name: "UnitSearch",
            dependencies: [
                "CAllocations",
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
