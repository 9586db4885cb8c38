internal import Definitions

/// The nodes of a subscription, and the rights on them that it needs to continue.
final class RequiredRights {
    let nodes: [String]
    let needs: Rights

    init(nodes: [String], needs: Rights) {
        self.nodes = nodes
        self.needs = needs
    }
}

extension Access {
    /// The rights that a subscription depends on, if the server has authentication.
    func requiredRights(_ nodes: @autoclosure () -> [String], needs: Rights) -> RequiredRights? {
        principal == nil ? nil : RequiredRights(nodes: nodes(), needs: needs)
    }
}
