internal import ArgumentParser

@main
struct Sluice: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reactive graphs over HTTP and WebSocket.",
        subcommands: [
            Serve.self, Check.self, Eval.self,
            Get.self, SetNode.self, Watch.self,
            Feed.self, BenchCommand.self, Docs.self, ShowVersion.self,
        ]
    )
}
