internal import HTTP

extension Refusal {
    static var notFound: Refusal { Refusal(.notFound, "there is nothing under this path") }

    static var badOrigin: Refusal {
        Refusal(
            .badOrigin,
            "pages of that origin may not do this; see 'origins' in the server's configuration"
        )
    }

    static func misdirected(_ head: RequestHead) -> Refusal {
        if head.authority.isEmpty { return Refusal(.badRequest, "Host is missing") }
        return Refusal(
            .misdirected,
            "this server does not answer to that name; see 'hosts' in its configuration"
        )
    }
}
