// A graph on the home page: its alarms, its first values as they are, and where it leads.
import { arrange, graphPath, h, href, setAttribute, setText, severityMark } from "/lib/dom.js";
import { capital, formatEntry, plural } from "/lib/format.js";
import { nodeIcon } from "/lib/icons.js";
import { alarmWords, healthOf, staleWord } from "/lib/words.js";
import { titled } from "/dash/compose.js";

/** The most alarms that are named, and the most values that are shown. */
const most = { alarms: 4, values: 3 };

/** The health of a graph, with its alarms by name; `titles` has those of its nodes, once known. */
function healthOn(each, titles) {
  const { level, words } = healthOf(each), { graph, alarms = [], stale = [], missed = [] } = each;
  const link = (node) => href(`${graphPath(graph)}?node=${encodeURIComponent(node)}`);
  const lines = [
    ...alarms.map((alarm) => h("li", {}, severityMark(alarm.severity, h("a", { href: link(alarm.node) },
      alarmWords(alarm))))),
    ...stale.map((node) => h("li", {}, severityMark("stale", h("a", { href: link(node) }, `${capital(staleWord)}: ${titles.get(node) ?? node}`)))),
    ...missed.map((node) => h("li", {}, severityMark("stale", `Removed, but still set: ${node}`))),
  ];
  const more = lines.length - most.alarms;
  return h("div", { class: "graph-health", dataset: { level } }, lines.length ? null : severityMark(level, words),
    h("ul", {}, lines.slice(0, most.alarms)),
    more > 0 && h("p", { class: "small dim" }, `and ${more} more: ${words} in all`));
}

/**
 * The nodes that say most: measured or computed before set, with a unit or with words first, and
 * records last. Alarms are named above them.
 */
function first(nodes) {
  const rank = ({ kind, role, unit, words, type, v }) =>
    (/any|object|array/.test(type) || (typeof v === "object" && v) ? 8 : 0) + (kind === "mutable" && role !== "sensor" ? 4 : 0) + (unit ? 0 : words ? 1 : 2);
  return titled(nodes).filter(({ severity }) => !severity).sort((a, b) => rank(a) - rank(b)).slice(0, most.values);
}

export class Card {
  #graph; #context; #each; #titles = new Map(); #definition; #watch = null; #rows = new Map(); #item;
  #title = h("span", { class: "graph-title" }); #health = h("div");
  #values = h("dl", { class: "graph-values" }); #links = h("p", { class: "graph-foot small dim" });

  constructor(graph, context) {
    this.#graph = graph;
    this.#context = context;
    this.element = h("li", { class: "card" },
      h("a", { class: "graph-main", href: href(graphPath(graph, "dash")) }, this.#title), this.#health, this.#values,
      this.#links);
    // Values are asked for when the card comes on screen.
    this.#item = context.frame.item(this.element, () => this.#draw());
  }

  show(each, dashboards) {
    const graph = this.#graph, { level } = healthOf(each);
    const link = (to, label) => h("a", { href: href(to) }, label);
    setText(this.#title, each.title || graph);
    this.element.dataset.level = level;
    arrange(this.#health, [healthOn(this.#each = each, this.#titles)]);
    const own = dashboards.length > 1 ? dashboards.map(({ name, title }) =>
      link(`${graphPath(graph, "dash")}?d=${encodeURIComponent(name)}`, title)) : [];
    arrange(this.#links, [h("span", { class: "links" }, ...own, link(graphPath(graph), "Graph"),
      link(graphPath(graph, "values"), plural(each.nodes, "value")))]);
    if (each.definition === this.#definition) return;
    this.#definition = each.definition;
    this.#stop();
    this.#item.mark();
  }

  #draw() {
    if (!this.#watch) return void this.#start(this.#watch = { close() {} });
    for (const { node, value, entry } of this.#rows.values()) {
      setText(value, entry ? formatEntry(entry, node.unit, node.words) : "–");
      value.className = `value${entry?.fail ? " fail" : entry?.empty ? " empty" : ""}${entry?.state?.stale ? " stale" : ""}`;
      setAttribute(value, "title", entry?.state?.stale ? staleWord : null);
    }
  }

  async #start(begun) {
    const { client, signal } = this.#context, graph = this.#graph;
    const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json`, { signal }).catch(() => {});
    const { nodes = [] } = answer?.ok ? await answer.json() : {}, chosen = first(nodes);
    if (this.#watch !== begun || signal.aborted) return;
    // Asked again with the next list of graphs.
    if (!answer) return void (this.#definition = undefined);
    this.#titles = new Map(nodes.map(({ name, title }) => [name, title]));
    arrange(this.#health, [healthOn(this.#each, this.#titles)]);
    this.#rows = new Map(chosen.map((node) =>
      [node.name, { node, value: h("dd", { class: "value" }), entry: "v" in node && node }]));
    this.#values.replaceChildren(...[...this.#rows.values()].map(({ node, value }) =>
      h("div", {}, h("dt", { class: "small dim" }, nodeIcon(node), node.title || node.name), value)));
    this.#item.mark();
    if (!chosen.length) return;
    this.#watch = client.watch({ graph, nodes: chosen.map(({ name }) => name) }, null, (_, { m = {} }) => {
      for (const [name, entry] of Object.entries(m)) {
        const row = this.#rows.get(name);
        if (row) row.entry = entry.same ? { ...row.entry, state: entry.state } : entry;
      }
      this.#item.mark();
    }, { every: 500, facets: true });
  }

  #stop() {
    this.#watch?.close();
    this.#watch = null;
  }

  close() {
    this.#stop();
    this.#item.close();
  }
}
