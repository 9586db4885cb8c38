// Earlier spellings, kept for one version.

/// The earlier name of ``CancelToken``: in Combine a value of this name cancels when it is dropped, this one never did.
@available(*, deprecated, renamed: "CancelToken")
public typealias AnyCancellable = CancelToken
