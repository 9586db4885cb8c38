#ifndef SLUICE_NODES_H
#define SLUICE_NODES_H

#include <stdint.h>

/// A graph as one writes it in C by hand: nodes that hold a number, edges with a function and a
/// context, listeners that count. Nothing is checked: no cycles, no glitches, no release.
typedef struct nodes nodes;

/// A source, a number of nodes in a row, each one more than the one before, and one listener.
nodes *nodes_chain(int64_t length);

/// A source with a number of listeners.
nodes *nodes_fan_out(int64_t listeners);

/// Gives the source a value and carries it through.
void nodes_set(nodes *graph, int64_t value);

/// How often a listener was called.
int64_t nodes_deliveries(const nodes *graph);

void nodes_free(nodes *graph);

#endif
