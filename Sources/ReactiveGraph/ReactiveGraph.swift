// ReactiveGraph
