internal import Support
internal import Values

/// The properties in a dashboard's JSON.
struct DashboardText {
    let title: String?
    let graph: String?

    init(_ bytes: [UInt8]) {
        (title, graph) = bytes.withBorrowedBytes { bytes in
            let read = try? JSONReader(checking: bytes)
            return (read?["title"]?.string, read?["graph"]?.string)
        }
    }
}
