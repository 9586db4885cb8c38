import TestSupport

/// A program as the search changes it.
struct Tree {
    /// A name of a macro's variable that may be used at a place.
    typealias Name = (text: String, kind: Kind)

    let kind: Kind
    /// Nil where this is a variable.
    fileprivate let form: Form?
    fileprivate let variable: String
    fileprivate let scope: [Name]
    fileprivate var children: [Tree]

    /// Its text.
    var source: String {
        guard let form else { return variable }
        var text = ""
        var names = scope.count
        var child = 0
        for piece in form.pieces {
            switch piece {
            case .text(let words): text += words
            case .hole:
                text += children[child].source
                child += 1
            case .name:
                text += "x\(names)"
                names += 1
            }
        }
        return text
    }

    /// What it does, roughly: programs of one shape have the same price.
    var shape: String { children.reduce(form?.text ?? kind.rawValue) { $0 + " " + ($1.form?.text ?? $1.kind.rawValue) } }

    /// The inputs it reads.
    var inputs: Set<String> {
        form == nil ? (variable.hasPrefix("x") ? [] : [variable]) : children.reduce(into: []) { $0.formUnion($1.inputs) }
    }

    /// How many expressions it is made of.
    var size: Int { children.reduce(1) { $0 + $1.size } }
}

/// Makes programs and changes them, all of it by a seed.
struct Gardener {
    var random: SeededGenerator

    /// A program of any kind.
    mutating func tree() -> Tree {
        grow(.any, depth: 1 + random.below(5), scope: [])
    }

    /// One that differs from `tree` in one place.
    mutating func change(_ tree: Tree) -> Tree {
        let place = random.below(tree.size)
        let action = random.below(4)
        return tree.replacing(place) { old in
            switch action {
            case 0: grow(old.kind, depth: 0, scope: old.scope)
            case 1: wrap(old)
            default: grow(old.kind, depth: 1 + random.below(3), scope: old.scope)
            }
        }
    }

    private mutating func grow(_ kind: Kind, depth: Int, scope: [Tree.Name]) -> Tree {
        guard depth > 0, let forms = Grammar.forms[kind] else { return leaf(kind, scope) }
        return fill(kind, forms[random.below(forms.count)], scope) { gardener, kind, scope in
            gardener.grow(kind, depth: depth - 1, scope: scope)
        }
    }

    /// The same program as a part of another one.
    private mutating func wrap(_ tree: Tree) -> Tree {
        let forms = (Grammar.forms[tree.kind] ?? []).filter { form in
            form.pieces.contains { if case .hole(tree.kind) = $0 { true } else { false } }
        }
        guard !forms.isEmpty else { return tree }
        var rest: Tree? = tree
        return fill(tree.kind, forms[random.below(forms.count)], tree.scope) { gardener, kind, scope in
            if kind == tree.kind, let tree = rest.take() { return tree }
            return gardener.grow(kind, depth: gardener.random.below(2), scope: scope)
        }
    }

    private mutating func fill(
        _ kind: Kind,
        _ form: Form,
        _ scope: [Tree.Name],
        _ part: (inout Gardener, Kind, [Tree.Name]) -> Tree
    ) -> Tree {
        var inner = scope
        var late: Tree.Name?
        var children: [Tree] = []
        for piece in form.pieces {
            switch piece {
            case .text: break
            case .name(let kind, isLate: false): inner.append(("x\(inner.count)", kind))
            case .name(let kind, isLate: true): late = ("x\(inner.count)", kind)
            case .hole(let kind):
                children.append(part(&self, kind, inner))
                if let name = late.take() { inner.append(name) }
            }
        }
        return Tree(kind: kind, form: form, variable: "", scope: scope, children: children)
    }

    private mutating func leaf(_ kind: Kind, _ scope: [Tree.Name]) -> Tree {
        let names = scope.filter { $0.kind == kind || kind == .any || $0.kind == .any }.map(\.text)
        let inputs = Inputs.byKind[kind] ?? Inputs.all.map(\.name)
        let choices = !names.isEmpty && random.chance(2, in: 3) ? names : inputs
        let variable = choices[random.below(choices.count)]
        return Tree(kind: kind, form: nil, variable: variable, scope: scope, children: [])
    }
}

extension Tree {
    /// The tree with another part at `place`, counted from the root.
    func replacing(_ place: Int, _ change: (Tree) -> Tree) -> Tree {
        guard place > 0 else { return change(self) }
        var tree = self
        var rest = place - 1
        for position in children.indices {
            let size = children[position].size
            if rest < size {
                tree.children[position] = children[position].replacing(rest, change)
                break
            }
            rest -= size
        }
        return tree
    }

    /// Each tree with one part less.
    var simpler: [Tree] {
        var simpler: [Tree] = []
        for place in 0..<size {
            _ = replacing(place) { part in
                for child in part.children where child.kind == part.kind || part.kind == .any {
                    simpler.append(replacing(place) { _ in child })
                }
                return part
            }
        }
        return simpler
    }
}

extension Inputs {
    fileprivate static let byKind = Dictionary(grouping: all, by: \.kind).mapValues { $0.map(\.name) }
}
