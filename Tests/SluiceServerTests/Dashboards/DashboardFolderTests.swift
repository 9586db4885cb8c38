import LogTestSupport
import Testing

@testable import SluiceServer

@Suite("the files of dashboards")
struct DashboardFolderTests {
    @Test("a list reads those files alone that have changed since the last one")
    func list() throws {
        let folder = try TemporaryFolder()
        for name in ["a", "b", "c"] { folder.write("\(name).json", #"{"title":"first"}"#) }
        let dashboards = DashboardFolder(path: folder.path, most: 10)
        // A title that no file has shows what was not read again.
        let known = Dictionary(
            uniqueKeysWithValues: dashboards.rows([:]).map {
                ($0.file, Dashboards.Row(name: $0.row.name, title: "known", graph: "g"))
            }
        )
        folder.write("b.json", #"{"title":"again"}"#)
        folder.write("d.json", #"{"title":"new"}"#)
        #expect(dashboards.rows(known).map(\.row.title) == ["known", "again", "known", "new"])
    }
}
