internal import ArgumentParser
internal import CommandSupport

struct Initialize: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a first configuration and a first graph.",
        discussion: """
            Writes sluice.yaml and graphs/home.yaml, both with comments, into a folder, and says what to do next. Files that are there \
            already are never written over.

            EXAMPLES
              sluice init
              sluice init /srv/home
            """
    )

    @Argument(help: "The folder; made where there is none.")
    var folder = "."

    func run() throws {
        let prefix = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        let files = FirstFiles.all.map { (path: prefix + $0.path, text: $0.text) }
        if let there = files.first(where: { FileSystemEntry.exists($0.path) }) {
            throw Terminal.failure("\(there.path) is there already; nothing was written")
        }
        for file in files {
            try Terminal.reporting { try FileSystemEntry.write(file.text, to: file.path) }
            Terminal.print("wrote \(file.path)")
        }
        let enter = folder == "." ? "" : "  cd \(folder)\n"
        Terminal.print(
            text: """

                Next:
                \(enter)  sluice serve                     starts the server; the page is at http://127.0.0.1:8080
                  sluice set home/indoor_c 21.5    sets a value, in another terminal
                  sluice watch home/indoor_f       prints a value whenever it changes
                Edit \(prefix)graphs/home.yaml: the server takes it up by itself and says what is wrong.
                """
        )
    }
}
