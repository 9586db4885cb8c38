// swift-tools-version: 6.2
// The targets stand in dependency order: what comes later may know what comes earlier, never the
// reverse. ARCHITECTURE.md shows the same as a picture.
import Foundation
import PackageDescription

/// What every Swift target is compiled with.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

/// The same for targets in which `unsafe` stands at each place that the compiler cannot check.
let marked: [SwiftSetting] = strict + [.strictMemorySafety()]

/// What TLS to Redis needs: hiredis has it from version 1.0 on, in a library of its own.
///
/// Without its header, servers refuse `rediss://` at the start. `CPATH` names further folders of
/// headers, as it does for compilers.
let redisTLS: [Target.Dependency] = {
    let further = ProcessInfo.processInfo.environment["CPATH"]?.split(separator: ":").map(String.init) ?? []
    let folders = further + ["/usr/local/include", "/opt/homebrew/include", "/usr/include"]
    let isThere = folders.contains { FileManager.default.fileExists(atPath: "\($0)/hiredis/hiredis_ssl.h") }
    return isThere ? ["CHiredisSSL", "COpenSSL"] : []
}()

/// The commit that is built, for `sluice version`; nothing without git.
///
/// SwiftPM reads this file at every build. Another commit compiles `CBuild` alone.
let commit: [CSetting] = {
    guard let git = Context.gitInformation else { return [] }
    let mark = git.hasUncommittedChanges ? "-dirty" : ""
    return [.define("SLUICE_COMMIT", to: "\"\(git.currentCommit)\(mark)\"")]
}()

/// The first versions of Apple's systems that have what the libraries need.
///
/// `Synchronization` (`Mutex`, `Atomic`), 128-bit integers and function types with typed throws
/// came with these. Parameter packs are one year older. An `isolated deinit`, which programs may
/// want for what owns nodes, came half a year later (macOS 15.4, iOS 18.4): only tests and examples
/// have one. The tests of this repository run on Linux; nothing below has been built by them.
///
/// The server runs on Linux and macOS. SwiftPM cannot keep a target from a platform; but a program
/// for another system builds only the products it names, and `ReactiveGraph`,
/// `ReactiveGraphBinding`, `ReactiveGraphDispatch`, `CEL` and `SluiceClient` depend on no target of
/// the server and on no system library.
let platforms: [SupportedPlatform] = [
    .macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
]

/// Queues.
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")

/// What `SluiceClient` speaks WebSocket with where the system has none.
///
/// SwiftPM does not fetch packages that only a trait needs while it is off.
func nio(_ product: String, of package: String = "swift-nio") -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["NIO"]))
}

let package = Package(
    name: "sluice",
    platforms: platforms,
    products: [
        .library(name: "ReactiveGraph", targets: ["ReactiveGraph"]),
        .library(name: "ReactiveGraphBinding", targets: ["ReactiveGraphBinding"]),
        .library(name: "ReactiveGraphDispatch", targets: ["ReactiveGraphDispatch"]),
        .library(name: "CEL", targets: ["CEL"]),
        .library(name: "SluiceClient", targets: ["SluiceClient"]),
        .executable(name: "sluice", targets: ["sluice"]),
        // For the fuzz targets and benchmarks of this repository; no promise to anybody else.
        .library(
            name: "SluiceParts",
            targets: [
                "Support", "HTTP", "JOSE", "Values", "Definitions", "Commits", "Graphs", "Sessions",
                "SluiceServer", "TestSupport",
            ]
        ),
    ],
    traits: [
        .trait(
            name: "NIO",
            description: "SluiceClient speaks WebSocket with SwiftNIO: for Linux, where URLSession cannot."
        )
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        // C libraries, as the system has them.
        .systemLibrary(
            name: "CLibuv",
            pkgConfig: "libuv",
            providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]
        ),
        .systemLibrary(name: "CLLHTTP", pkgConfig: "libllhttp", providers: [.brew(["llhttp"])]),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CYAML",
            pkgConfig: "yaml-0.1",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]
        ),
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),
        // Its pkg-config file has a flag that SwiftPM refuses with a warning.
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(name: "CHiredisSSL"),
        .systemLibrary(
            name: "CMosquitto",
            pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]
        ),
        // RE2 is C++: what Swift sees is a header in C. Its pkg-config file asks for nothing but
        // `-lre2` and a flag that SwiftPM refuses with a warning.
        .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),

        // The system's C library.
        .target(name: "Platform", swiftSettings: marked),

        // Pure libraries.
        .target(name: "Support", swiftSettings: marked),
        // What debug builds ask Swift's own runtime, in C.
        .target(name: "CConcurrency"),
        .target(
            name: "ReactiveGraph",
            dependencies: ["Support", "CConcurrency", deque],
            swiftSettings: marked
        ),
        // For programs that import the library: the server binds no properties and has a loop of
        // its own.
        .target(name: "ReactiveGraphBinding", dependencies: ["ReactiveGraph"], swiftSettings: marked),
        .target(name: "ReactiveGraphDispatch", dependencies: ["ReactiveGraph"], swiftSettings: marked),
        .target(name: "CEL", dependencies: ["Support"], swiftSettings: marked),
        // A client for programs: it knows the protocol and nothing of the server.
        .target(
            name: "SluiceClient",
            dependencies: [
                deque, nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOWebSocket"),
                nio("NIOSSL", of: "swift-nio-ssl"),
            ],
            swiftSettings: marked
        ),

        // The three columns.
        .target(
            name: "EventLoop",
            dependencies: ["Platform", "Support", "CLibuv", deque],
            swiftSettings: marked
        ),
        .target(
            name: "HTTP",
            dependencies: ["Platform", "Support", "CLLHTTP", "CZlib"],
            swiftSettings: marked
        ),
        // JSON and errors: what is true without any graph.
        .target(name: "Values", dependencies: ["Support", "CEL"], swiftSettings: marked),
        // Secure channels and digests: OpenSSL.
        .target(
            name: "TLS",
            dependencies: ["Support", "EventLoop", "COpenSSL", deque],
            swiftSettings: marked
        ),
        // Signed tokens.
        .target(name: "JOSE", dependencies: ["Support", "Values", "COpenSSL"], swiftSettings: marked),
        // Requests that the server or the command line makes.
        .target(
            name: "Outbound",
            dependencies: ["Support", "EventLoop", "HTTP", "TLS", "Values", deque],
            swiftSettings: marked
        ),
        // A client of MQTT brokers.
        .target(
            name: "MQTT",
            dependencies: ["Support", "EventLoop", "TLS", "Outbound", "CMosquitto"],
            swiftSettings: marked
        ),
        // The contract with a log.
        .target(name: "Commits", dependencies: ["Support", "Values"], swiftSettings: marked),
        // What a file or a client's pipeline may say, before anything runs.
        .target(
            name: "Definitions",
            dependencies: ["Support", "Values", "ReactiveGraph", "CEL", deque],
            swiftSettings: marked
        ),
        .target(
            name: "Graphs",
            dependencies: ["Support", "Values", "Definitions", "Commits", "ReactiveGraph", "CEL", deque],
            swiftSettings: marked
        ),
        // What one client has, and whatever forms an answer or a message.
        .target(
            name: "Sessions",
            dependencies: [
                "Support", "Values", "Definitions", "Commits", "Graphs", "ReactiveGraph", "CEL", deque,
            ],
            swiftSettings: marked
        ),

        // Where commits are kept.
        .target(
            name: "SQLiteLog",
            dependencies: ["Platform", "Support", "Values", "Commits", "EventLoop", "CSQLite", "CZlib"],
            path: "Sources/Engines/SQLiteLog",
            swiftSettings: marked
        ),

        .target(
            name: "RedisLog",
            dependencies: ["Platform", "Support", "Values", "Commits", "EventLoop", "CHiredis", deque]
                + redisTLS,
            path: "Sources/Engines/RedisLog",
            swiftSettings: marked
        ),

        // The commit, in C.
        .target(name: "CBuild", cSettings: commit),

        // Where everything meets.
        .target(
            name: "SluiceServer",
            dependencies: [
                "CBuild", "Platform", "Support", "CEL", "EventLoop", "HTTP", "TLS", "JOSE", "Outbound",
                "MQTT",
                "Values", "Definitions", "Commits", "Graphs", "Sessions", "SQLiteLog",
                "RedisLog", "CYAML", "CRE2", deque,
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: marked
        ),
        // Programs that talk to a server: what the command line and the feeds are made of.
        .target(
            name: "ServiceClient",
            dependencies: ["Support", "EventLoop", "HTTP", "TLS", "Outbound", "Values"],
            swiftSettings: marked
        ),
        .target(
            name: "CommandSupport",
            dependencies: [
                "Platform", "Support", "CEL", "Outbound",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: marked
        ),
        .executableTarget(
            name: "sluice",
            dependencies: [
                "Platform", "Support", "CommandSupport", "CEL", "EventLoop", "Outbound",
                "Values", "Definitions", "Commits", "Graphs", "Sessions", "SluiceServer",
                "ServiceClient",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: marked
        ),
        // Not shipped: load, generated documentation, expressions by the thousand.
        .target(
            name: "LoadGenerator",
            dependencies: [
                "Support", "EventLoop", "HTTP", "TLS", "Outbound", "Values", "Definitions",
                "Graphs", "Sessions", "SluiceServer",
                "ServiceClient",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/LoadGenerator",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "sluice-dev",
            dependencies: [
                "Support", "CommandSupport", "CEL", "Outbound", "Values", "Definitions",
                "Commits", "Graphs", "Sessions", "SluiceServer", "LoadGenerator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/sluice-dev",
            swiftSettings: strict
        ),
        // Plays the common scenarios of all clients with `SluiceClient`.
        .executableTarget(
            name: "sluice-client-driver",
            dependencies: ["SluiceClient"],
            path: "Tests/SluiceClientDriver",
            swiftSettings: strict
        ),
        // The program of clients/swift/README.md, and one that makes ten thousand models.
        .executableTarget(
            name: "sluice-client-first",
            dependencies: ["SluiceClient"],
            path: "Tests/SluiceClientPrograms/First",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "sluice-client-models",
            dependencies: ["SluiceClient"],
            path: "Tests/SluiceClientPrograms/Models",
            swiftSettings: strict
        ),
        .target(
            name: "TestSupport",
            dependencies: ["Support", "ReactiveGraph"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "LogTestSupport",
            dependencies: ["Support", "Values", "Commits", "TestSupport"],
            path: "Tests/LogTestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "DiskSupport",
            dependencies: ["SQLiteLog", "Commits", "CSQLite", "TestSupport"],
            path: "Tests/DiskSupport",
            swiftSettings: strict
        ),
        .testTarget(name: "SupportTests", dependencies: ["Support", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ReactiveGraphTests",
            dependencies: [
                "Support", "ReactiveGraph", "ReactiveGraphBinding", "ReactiveGraphDispatch", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "CELTests", dependencies: ["CEL", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "EventLoopTests", dependencies: ["Support", "EventLoop"], swiftSettings: strict),
        .testTarget(
            name: "HTTPTests",
            dependencies: ["Support", "HTTP", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(name: "TLSTests", dependencies: ["Support", "TLS"], swiftSettings: strict),
        .testTarget(name: "JOSETests", dependencies: ["JOSE", "Support"], swiftSettings: strict),
        .testTarget(
            name: "OutboundTests",
            dependencies: ["Outbound", "EventLoop", "HTTP", "Support"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MQTTTests",
            dependencies: ["MQTT", "EventLoop", "Support"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ValuesTests",
            dependencies: ["Support", "Values", "CEL", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CommitsTests",
            dependencies: ["Support", "Commits", "LogTestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DefinitionsTests",
            dependencies: ["Definitions", "Values", "CEL", "ReactiveGraph", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SessionsTests",
            dependencies: [
                "Support", "Values", "Definitions", "Commits", "Graphs", "Sessions", "TestSupport",
                "LogTestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SQLiteLogTests",
            dependencies: [
                "Support", "SQLiteLog", "Values", "Definitions", "Commits", "Graphs", "Sessions", "EventLoop",
                "CSQLite",
                "TestSupport", "LogTestSupport", "DiskSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RedisLogTests",
            dependencies: [
                "Support", "RedisLog", "Values", "Definitions", "Commits", "Graphs", "Sessions", "EventLoop",
                "TestSupport",
                "LogTestSupport", "DiskSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Support", "SQLiteLog", "Values", "Definitions", "Commits", "Graphs", "Sessions",
                "TestSupport",
                "DiskSupport",
            ],
            path: "Tests/Simulation",
            swiftSettings: strict
        ),
        // SwiftNIO is tested end to end, in a program of its own: it brings another llhttp, and Swift
        // keeps one description of a C structure for both. One program must not use the two.
        .testTarget(name: "SluiceClientTests", dependencies: ["SluiceClient"], swiftSettings: strict),
        .testTarget(
            name: "ServiceClientTests",
            dependencies: [
                "Support", "ServiceClient", "LoadGenerator", "Values", "EventLoop", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SluiceServerTests",
            dependencies: [
                "Support", "EventLoop", "HTTP", "TLS", "Values", "Definitions", "Commits",
                "Graphs", "Sessions", "SluiceServer", "LogTestSupport", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
