// What the page knows about the graph itself: its nodes' facts and who listens. It looks and owns nothing.

export class Observed extends EventTarget {
  /** By name: kind, type, unit, title, bounds. Null until known. */
  nodes = null;
  /** By name of connection; null where this may not be seen. */
  listeners = null;
  refused = "";
  #watch;

  constructor(client, graph) {
    super();
    this.#watch = client.observe(graph, (event) => this.#hear(event, graph), { every: 500 });
  }

  close() { this.#watch.close(); }

  #hear(event, graph) {
    if (event.op === "topo") {
      this.nodes = new Map();
      this.listeners = new Map();
      this.#add(event);
    } else if (event.op === "topod") {
      for (const { l } of event.del?.listeners ?? []) this.listeners.delete(l);
      if (event.add) this.#add(event.add);
      if (!event.add?.nodes?.length && !event.add?.listeners?.length && !event.del?.listeners?.length) return;
    } else if (event.code === "shutdown" || event.code === "closed") {
      return;
    } else {
      // Those who may read but not observe get the definition's picture, which shows what they may see.
      this.refused = event.msg ?? event.code;
      fetch(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json`).then((answer) => (answer.ok ? answer.json() : { nodes: [] })).then((picture) => {
        this.nodes = new Map();
        this.#add(picture);
        this.dispatchEvent(new Event("change"));
      }, () => {});
      return;
    }
    this.dispatchEvent(new Event("change"));
  }

  #add({ nodes, listeners }) {
    for (const each of nodes ?? []) if (each.name) this.nodes.set(each.name, each);
    for (const each of listeners ?? []) this.listeners?.set(each.l, each);
  }
}
