// swift-tools-version: 6.2
// Servers of other authors that do the work of Sluice's benchmarks; a package of its own, because
// nothing else fetches and builds them.
import PackageDescription

let package = Package(
    name: "peers",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
    ],
    targets: [
        .target(name: "PeerMessages"),
        .executableTarget(
            name: "FlyingFoxPeer",
            dependencies: ["PeerMessages", .product(name: "FlyingFox", package: "FlyingFox")]
        ),
        .executableTarget(
            name: "HummingbirdPeer",
            dependencies: [
                "PeerMessages",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
