/// The media types of the files a dashboard is made of, by file name extension.
enum FileType {
    /// The `Content-Type` of a file called `name`; unknown extensions are bytes.
    static func of(_ name: some StringProtocol) -> String {
        guard let dot = name.lastIndex(of: ".") else { return bytes }
        let ending = name[name.index(after: dot)...].lowercased()
        return types[ending] ?? bytes
    }

    private static let bytes = "application/octet-stream"

    private static let types: [String: String] = [
        "html": "text/html; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "mjs": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "svg": "image/svg+xml; charset=utf-8",
        "json": "application/json",
        "map": "application/json",
        "webmanifest": "application/manifest+json",
        "txt": "text/plain; charset=utf-8",
        "md": "text/markdown; charset=utf-8",
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "avif": "image/avif",
        "ico": "image/x-icon",
        "woff2": "font/woff2",
        "woff": "font/woff",
        "wasm": "application/wasm",
        "pdf": "application/pdf",
    ]
}
