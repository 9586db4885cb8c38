internal import HTTP

/// The result of checking a request before performing it.
enum Admission {
    case route(Route, Captures)
    case file
    case options(allow: String)
    case refused(Refusal)
}

extension RequestDispatcher {
    /// Checks that a page may send the request, and finds its route; `Host` has been checked.
    @inline(__always)
    func admit(
        _ head: RequestHead,
        _ forwarding: @autoclosure () -> Forwarding?,
        at listener: HTTPListener
    ) -> Admission {
        let method = head.method
        guard method.isSafe || listener.originCheck.accepts(head, forwarding()) else {
            return .refused(.badOrigin)
        }
        switch router.match(method, head.path) {
        case .found(let route, let captures):
            guard head.query.isEmpty || Query(head.query).isReadable else { return .refused(Self.badQuery) }
            return .route(route, captures)
        case .options(let allow): return .options(allow: allow)
        case .methodNotAllowed(let allow):
            let message = "this path allows only \(allow)"
            return .refused(
                Refusal(.methodNotAllowed, hintElsewhere(method, head) ?? message, allow: allow)
            )
        case .notFound:
            if let hint = hintElsewhere(method, head) { return .refused(Refusal(.notFound, hint)) }
            return admitFile(method, head)
        }
    }

    private func admitFile(_ method: Method, _ head: RequestHead) -> Admission {
        if let advice = PathAdvice.of(head.path, method, router) {
            return .refused(Refusal(.notFound, advice))
        }
        guard side != .operations else { return .refused(.notFound) }
        if method == .get || method == .head { return .file }
        guard let (files, path) = service.folders.folder(of: head.path), files.open(path) != nil else {
            return .refused(.notFound)
        }
        let allow = "GET, HEAD, OPTIONS"
        if method == .options { return .options(allow: allow) }
        return .refused(Refusal(.methodNotAllowed, "files are read-only", allow: allow))
    }

    /// The hint for a path that the other listener serves.
    private func hintElsewhere(_ method: Method, _ head: RequestHead) -> String? {
        guard let elsewhere, case .found = elsewhere.match(method, head.path) else { return nil }
        return side == .operations
            ? "this address serves only operations; see 'listen' in the server's configuration"
            : "this is served at another address; see 'admin.listen' in the server's configuration"
    }

    private static var badQuery: Refusal {
        Refusal(.badRequest, "invalid percent-encoding or UTF-8 in the query string: write % as %25")
    }
}
