package import Definitions

/// The nodes of a subscription, and the rights on them that it needs to continue.
package final class RequiredRights {
    package let nodes: [String]
    package let needs: Rights

    init(nodes: [String], needs: Rights) {
        self.nodes = nodes
        self.needs = needs
    }
}

extension Access {
    /// The rights that a subscription depends on, if the server has authentication.
    package func requiredRights(_ nodes: @autoclosure () -> [String], needs: Rights) -> RequiredRights? {
        principal == nil ? nil : RequiredRights(nodes: nodes(), needs: needs)
    }
}
