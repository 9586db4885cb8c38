#include "nodes.h"

#include <stdlib.h>

typedef struct edge edge;

typedef struct {
    int64_t value;
    edge *edges;
    edge *last;
} node;

struct edge {
    int64_t (*function)(void *context, int64_t value);
    void *context;
    // NULL: a listener.
    node *target;
    edge *next;
};

struct nodes {
    node *all;
    int64_t count;
    int64_t deliveries;
    int64_t sum;
};

static int64_t add(void *context, int64_t value) { return value + *(int64_t *)context; }

static int64_t take(void *context, int64_t value) {
    nodes *graph = context;
    graph->deliveries += 1;
    graph->sum += value;
    return 0;
}

static int64_t one = 1;

static nodes *make(int64_t count) {
    nodes *graph = calloc(1, sizeof *graph);
    graph->all = calloc((size_t)count, sizeof *graph->all);
    graph->count = count;
    return graph;
}

static void connect(node *source, int64_t (*function)(void *, int64_t), void *context, node *target) {
    edge *new = malloc(sizeof *new);
    *new = (edge){function, context, target, NULL};
    if (source->last) source->last->next = new;
    else source->edges = new;
    source->last = new;
}

static void set(node *node, int64_t value) {
    node->value = value;
    for (edge *edge = node->edges; edge; edge = edge->next) {
        int64_t result = edge->function(edge->context, value);
        if (edge->target) set(edge->target, result);
    }
}

nodes *nodes_chain(int64_t length) {
    nodes *graph = make(length + 1);
    for (int64_t i = 0; i < length; i++) connect(&graph->all[i], add, &one, &graph->all[i + 1]);
    connect(&graph->all[length], take, graph, NULL);
    return graph;
}

nodes *nodes_fan_out(int64_t listeners) {
    nodes *graph = make(1);
    for (int64_t i = 0; i < listeners; i++) connect(&graph->all[0], take, graph, NULL);
    return graph;
}

void nodes_set(nodes *graph, int64_t value) { set(&graph->all[0], value); }

int64_t nodes_deliveries(const nodes *graph) { return graph->deliveries; }

void nodes_free(nodes *graph) {
    for (int64_t i = 0; i < graph->count; i++) {
        for (edge *edge = graph->all[i].edges, *next; edge; edge = next) {
            next = edge->next;
            free(edge);
        }
    }
    free(graph->all);
    free(graph);
}
