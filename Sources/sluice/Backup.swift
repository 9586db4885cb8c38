internal import ArgumentParser
internal import CommandSupport
internal import EventLoop
internal import Outbound
internal import ServiceClient
internal import Platform

struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy all that a running server keeps into a file.",
        discussion: """
            The copy is that of one moment; the server goes on meanwhile. Where it wants a token, SLUICE_TOKEN has one with the right \
            'admin'. `sluice restore` makes a data folder of it.

            EXAMPLES
              sluice backup house.db
              sluice backup --url unix:/run/sluice/admin.sock /backups/sluice.db
            """
    )

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    @OptionGroup var options: ServiceOptions

    func run() throws {
        guard unsafe access(file, F_OK) != 0 else { throw Terminal.failure("\(file) exists already") }
        let service = try options.service()
        let answer = try Terminal.reporting {
            try ServiceRequest.get("/v1/backup", from: service, limit: .seconds(3600), mostBytes: 1 << 40)
        }
        // It gets its name only when it is complete.
        let partial = file + ".partial"
        try Terminal.reporting { try Files.write(answer.body, to: partial) }
        guard unsafe rename(partial, file) == 0 else {
            throw Terminal.failure("\(file): \(systemError())")
        }
        Terminal.print("\(file): \(answer.body.count) bytes")
    }
}
