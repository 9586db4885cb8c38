internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Support

/// The named dashboards of a folder (docs/dashboards.md): each `NAME.json` is served as `/dashboards/NAME.json`, and
/// `/dashboards/` lists them.
///
/// They say what is shown where, and hold no values: they are public as static files are.
final class Dashboards {
    /// The path they are served below.
    static let path = "/dashboards"
    /// The largest file that is looked into for its title.
    private static let maximumBytes = 1 << 20

    private let folder: String
    private var known: [FileSystem.Entry]?
    private var list: [UInt8] = []

    /// The dashboards of `folder`.
    init(_ folder: String) {
        self.folder = folder
    }

    /// `[{"name":"host","title":"This machine","graph":"host"}]`; made anew when something in the folder has changed.
    func index() -> [UInt8] {
        let entries = FileSystem.entries(in: folder) ?? []
        if known == entries { return list }
        var out = ByteBuffer()
        out.append(list: entries.filter { $0.name.hasSuffix(".json") }) { entry, out in
            let name = String(entry.name.dropLast(5))
            out.append("{\"name\":")
            out.append(json: name)
            let (title, graph) = about(entry.name)
            out.append(",\"title\":")
            out.append(json: title ?? name)
            if let graph {
                out.append(",\"graph\":")
                out.append(json: graph)
            }
            out.append("}")
        }
        out.append("\n")
        list = Array(out.bytes)
        known = entries
        return list
    }

    /// What the file says about itself.
    private func about(_ file: String) -> (title: String?, graph: String?) {
        guard let bytes = try? Files.read("\(folder)/\(file)", limit: Self.maximumBytes).bytes else {
            return (nil, nil)
        }
        return bytes.withUnsafeBytes { bytes in
            let read = try? JSONReader(checking: bytes)
            return (read?["title"]?.string, read?["graph"]?.string)
        }
    }
}
