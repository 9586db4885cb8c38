import CNodes
import OpenCombine
import ReactiveGraph

/// A source, a number of maps in a row, each with a closure, and one listener at the end.
func chain(_ length: Int) -> Case {
    Case(
        "chain of \(length) maps",
        unit: "node",
        units: length,
        target: 8,
        atLeast: 25,
        [
            .sluice("every node holds its value", deliveries: 1) { sink in
                let graph = Graph()
                let source = graph.mutable(0)
                var last: Node<Int> = source
                for _ in 0..<length { last = last.map { $0 &+ 1 } }
                last.listen(in: sink.bag, replay: false) { sink.take($0) }
                return { for value in $0 { source.set(value) } }
            },
            .openCombine("CurrentValueSubject per stage (holds a value)", deliveries: 1) { sink in
                let source = CurrentValueSubject<Int, Never>(0)
                var last = source
                for _ in 0..<length {
                    let next = CurrentValueSubject<Int, Never>(0)
                    last.map { $0 &+ 1 }.sink { next.send($0) }.store(in: &sink.cancellables)
                    last = next
                }
                last.sink { sink.take($0) }.store(in: &sink.cancellables)
                return { for value in $0 { source.send(value) } }
            },
            .openCombine("erased map (holds none)", deliveries: 1) { sink in
                let source = PassthroughSubject<Int, Never>()
                var last = source.eraseToAnyPublisher()
                for _ in 0..<length { last = last.map { $0 &+ 1 }.eraseToAnyPublisher() }
                last.sink { sink.take($0) }.store(in: &sink.cancellables)
                return { for value in $0 { source.send(value) } }
            },
            .c("structs and function pointers", deliveries: 1) { nodes_chain(Int64(length)) },
        ]
    )
}

/// The same with values that have to be counted and are too long to be held in place.
func chainOfText(_ length: Int) -> Case {
    let texts = [
        "a text that needs a block of its own on the heap", "and another one, of which the same is true",
    ]
    return Case(
        "chain of \(length) maps of long text",
        unit: "node",
        units: length,
        target: 14,
        [
            .sluice("every node holds its value", deliveries: 1) { sink in
                let source = Graph().mutable(texts[0])
                var last: Node<String> = source
                for _ in 0..<length { last = last.map { $0 } }
                last.listen(in: sink.bag, replay: false) { sink.take($0.utf8.count) }
                return { for value in $0 { source.set(texts[value & 1]) } }
            },
            .openCombine("CurrentValueSubject per stage (holds a value)", deliveries: 1) { sink in
                let source = CurrentValueSubject<String, Never>(texts[0])
                var last = source
                for _ in 0..<length {
                    let next = CurrentValueSubject<String, Never>(texts[0])
                    last.map { $0 }.sink { next.send($0) }.store(in: &sink.cancellables)
                    last = next
                }
                last.sink { sink.take($0.utf8.count) }.store(in: &sink.cancellables)
                return { for value in $0 { source.send(texts[value & 1]) } }
            },
        ]
    )
}
