// What clients do in a graph: what they listen to, and the links that they make. Their lines are
// drawn over the picture for what is selected or pointed at; elsewhere a node has their number.
import { h, setAttribute, svg } from "../lib/dom.js";
import { isOf } from "./owners.js";
import { plain, titleOf } from "./shapes.js";

/**
 * `{ lines, raw, counts }` of a model. A line leads from a named node to a client ("listen"), or to
 * the node that a client sets from it ("link", or "sync" both ways; `by` is the client), whatever
 * steps of its pipeline there are between. `raw` are the lines to clients where those steps are
 * drawn. `counts` has of a node's id `{ listen, link }`. Pure.
 */
export function clientLines(model) {
  const { into, out } = model.neighbours(), lines = new Map(), raw = [], counts = new Map(), found = new Map();
  /** The named nodes before steps of clients, with the edges between. */
  const sourcesOf = (id) => {
    if (found.has(id)) return found.get(id);
    const sources = new Map(), open = [[id, []]], steps = new Set();
    while (open.length) {
      const [at, edges] = open.pop();
      if (model.nodes.get(at)?.kind !== "chain") {
        if (!sources.has(at)) sources.set(at, edges);
        continue;
      }
      if (steps.has(at)) continue;
      steps.add(at);
      for (const edge of into.get(at) ?? []) open.push([edge.from, [...edges, edge.id]]);
    }
    found.set(id, { sources, steps });
    return found.get(id);
  };
  const count = (id, what, who) => {
    if (!counts.has(id)) counts.set(id, { listen: new Set(), link: new Set() });
    counts.get(id)[what].add(who);
  };
  const add = (edge, kind, to, by) => {
    const { sources, steps } = sourcesOf(edge.from);
    if (kind === "listen") for (const step of steps) count(step, kind, to);
    for (const [from, edges] of sources) {
      const id = `${kind} ${from} ${to} ${by}`, back = kind === "link" && lines.get(`${kind} ${to} ${from} ${by}`);
      const line = back || lines.get(id) || { id, kind, from, to, by, steps: steps.size, members: [] };
      if (back) line.kind = "sync";
      line.members.push(...edges, edge.id);
      lines.set(line.id, line);
      count(from, kind, kind === "listen" ? to : line.id);
      if (kind === "link") count(to, kind, line.id);
    }
  };
  for (const edge of model.edges.values()) {
    for (const by of new Set(edge.owners?.map((owner) => owner.split("/")[0]))) add(edge, "link", edge.to, by);
    if (edge.kind !== "listen") continue;
    // A link's client is listed as a listener of what the link reads, too.
    const { id, on } = model.listeners.get(edge.to);
    const times = on.filter((n) => model.ids.get(n) === edge.from).length;
    const links = (out.get(edge.from) ?? []).filter(({ owners }) => owners?.some((owner) => isOf(owner, id))).length;
    if (links && times <= links) continue;
    add(edge, "listen", edge.to, edge.to);
    raw.push({ kind: "listen", from: edge.from, to: edge.to, by: edge.to, steps: 0, members: [edge.id] });
  }
  return { lines: [...lines.values()], raw, counts: new Map([...counts].map(([id, { listen, link }]) =>
    [id, { listen: listen.size, link: link.size }])) };
}

const clientName = (model, id) => plain(model.listeners.get(id)?.client ?? id, 60);

/** Links in words; `link(id, text)` makes a link to a node. */
export function linkList(model, lines, link) {
  const to = (id) => link(id, titleOf(model.nodes.get(id) ?? { id }));
  return h("ul", { class: "owner-list" }, lines.slice(0, 50).map((line) => h("li", {}, to(line.from),
    line.kind === "sync" ? " ⇄ " : " → ", to(line.to), h("span", { class: "quiet-text" },
      line.kind === "sync" ? " kept in step by " : " by "), link(line.by, clientName(model, line.by)))));
}

/** Draws those lines of `clientLines()` that are wanted. */
export class ClientLayer {
  element = svg("g", { class: "client-lines" });
  texts = svg("g", { class: "client-lines" });
  #view; #drawn = new Map();

  constructor(view) { this.#view = view; }

  /** Draws the lines that start, end or belong at one of `ids`, or all; `lit` are ids of edges. */
  show(ids, lit) {
    const { model, picture, scene, view } = this.#view, wanted = new Map(), isAll = view.details || Boolean(view.focus);
    if (!picture) return;
    const at = (id) => this.#view.drawn(id);
    for (const line of model.clientLines()[scene.isDetailed ? "raw" : "lines"]) {
      const from = at(line.from), to = at(line.to), isLit = line.members.some((member) => lit.has(member));
      if (!from || !to || from === to) continue;
      if (!isAll && !isLit && ![from, to, at(line.by)].some((id) => ids.has(id))) continue;
      const key = `${from} > ${to} ${line.kind}${line.kind === "listen" ? "" : ` ${line.by}`}`;
      const known = wanted.get(key);
      if (known) known.queued += queuedOf(model, line);
      else wanted.set(key, { line, from, to, isLit, queued: queuedOf(model, line) });
    }
    for (const [key, { path, text }] of this.#drawn) {
      if (wanted.has(key)) continue;
      path.remove();
      text.remove();
      this.#drawn.delete(key);
    }
    for (const [key, each] of wanted) {
      let drawn = this.#drawn.get(key);
      if (!drawn) {
        drawn = { path: svg("path", { class: "edge", dataset: { kind: each.line.kind } }),
          text: svg("text", { "text-anchor": "middle" }, "") };
        this.#drawn.set(key, drawn);
        this.element.append(drawn.path);
        this.texts.append(drawn.text);
      }
      this.#place(drawn, each);
    }
  }

  #place({ path, text }, { line: { kind, by, steps }, from, to, isLit, queued }) {
    const { model, picture: { nodes }, isDown } = this.#view, a = nodes.get(from), b = nodes.get(to);
    if (!a || !b) return;
    const { d, middle } = routeOf(a, b, isDown), look = isLit ? "lit" : "listen";
    for (const [name, value] of Object.entries({ d, "data-look": look, "marker-end": `url(#end-${look})`,
      "marker-start": kind === "sync" && `url(#end-${look})` })) setAttribute(path, name, value);
    path.classList.toggle("lit", isLit);
    const said = kind === "listen" ? (steps ? `${steps} ${steps === 1 ? "step" : "steps"}` : "")
      : `${clientName(model, by)} ${kind === "sync" ? "keeps in step" : "links"}`;
    text.textContent = [said, queued && `${queued} waiting`].filter(Boolean).join(", ");
    text.classList.toggle("backlog", queued > 0);
    setAttribute(text, "x", middle[0]);
    setAttribute(text, "y", middle[1] - 6);
  }
}

const queuedOf = (model, { members }) =>
  members.reduce((sum, id) => sum + (model.edges.has(id) ? model.queued(model.edges.get(id)) : 0), 0);

/** A curve between two boxes: along the flow, back, or around where they are side by side. */
function routeOf(a, b, isDown) {
  const side = ({ x, y, w, h }) => (isDown ? [y, y + h, x + w / 2] : [x, x + w, y + h / 2]);
  const [a0, a1, from] = side(a), [b0, b1, to] = side(b), beside = b0 - a1 < 16 && a0 - b1 < 16;
  const isBack = !beside && b0 < a1, start = isBack ? a0 : a1, end = isBack || beside ? b1 : b0;
  const out = beside ? Math.max(a1, b1) + 64 : null, pull = Math.max(24, Math.abs(end - start) / 2) * (isBack ? -1 : 1);
  const points = [[start, from], [out ?? start + pull, from], [out ?? end - pull, to], [end, to]];
  const centre = [(points[0][0] + 3 * points[1][0] + 3 * points[2][0] + points[3][0]) / 8, (from + to) / 2];
  const turn = ([along, across]) => (isDown ? [across, along] : [along, across]);
  const text = points.map((point) => turn(point).map((x) => Math.round(x)).join(","));
  return { d: `M${text[0]}C${text.slice(1).join(" ")}`, middle: turn(centre) };
}

/** Loaded with the first client. */
export function attach({ model, view, highlight }) {
  model.linesOf = clientLines;
  view.lines = new ClientLayer(view);
  view.edges.element.after(view.lines.element);
  view.layer.append(view.lines.texts);
  view.show({});
  highlight.lines();
}
