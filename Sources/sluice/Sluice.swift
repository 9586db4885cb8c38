internal import ArgumentParser

@main
struct Sluice: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reactive graphs over HTTP and WebSocket.",
        subcommands: [Get.self, SetNode.self, Watch.self, Eval.self, Docs.self]
    )
}
