// All values of a graph as a table, with a field for what can be set: the plain way, also for small screens and screen readers.
import { graphPath, h, href, setAttribute, setText } from "/lib/dom.js";
import { formatAge, formatEntry, plural } from "/lib/format.js";
import { formatTime } from "/lib/time.js";
import { same } from "/lib/input.js";
import { formatState } from "/lib/state.js";
import { valueEditor } from "/ui/value-editor.js";

const note = (title, words) => h("div", { class: "notice" }, h("h1", {}, title), h("p", {}, words));

/** What a node's definition says, without what it holds at the moment. */
const shapeOf = ({ v, empty, fail, n, c, t, exists, ...rest }) => JSON.stringify(rest);

class Row {
  entry = null; at = 0;
  #value = h("span", { class: "value" }, h("span", { class: "skeleton" }));
  #age = h("td", { class: "num small dim" }, "–");
  #editor = null; #item; #node; #drawn = null;

  constructor(context, node) {
    const { client, announce, frame, route } = context;
    this.#node = node;
    this.#value.dataset.node = node.name;
    const cell = h("td");
    if (node.kind === "mutable") {
      this.#editor = valueEditor({ client, announce, node, graph: route.params.graph, compact: false });
      cell.append(this.#editor.element);
    } else {
      cell.append(h("span", { class: "made dim small" }, `${node.op} ${(node.inputs ?? []).join(", ")}`, node.label && [" → ", h("code", {}, node.label)]));
    }
    this.element = h("tr", { dataset: { row: node.name } },
      h("th", { scope: "row" }, node.title && h("span", { class: "row-title" }, node.title), h("code", {}, node.name)),
      h("td", {}, this.#value), cell, this.#age);
    this.#item = frame.item(this.element, () => this.#draw());
  }

  show(entry, t) {
    this.entry = entry;
    this.at = t;
    this.#item.mark();
    this.#editor?.show(entry);
  }

  #draw() {
    if (!this.entry) return;
    this.#drawn = this.entry;
    const { empty, fail, gone, state } = this.entry;
    setText(this.#value, gone ? "removed" : formatEntry(this.entry, this.#node.unit));
    setAttribute(this.#value, "data-facets", formatState(state) || null);
    this.#value.className = `value${fail ? " fail" : empty || gone ? " empty" : ""}`;
    this.#tell(Date.now());
  }

  /** Once a second: the age, and the value of a row that is not on screen, for those who read or search all of the page. */
  tick(now, isPaused) {
    if (this.entry !== this.#drawn && !isPaused) this.#draw();
    else this.#tell(now);
  }

  /** The age of the value, in words; the time itself on hover. */
  #tell(now) {
    if (!this.at) return;
    setText(this.#age, formatAge(now - this.at));
    setAttribute(this.#age, "title", formatTime(this.at, now));
  }

  close() {
    this.#item.close();
    this.#editor?.close();
  }
}

export async function mount(element, context) {
  const { client, route, store, frame, signal, style, title } = context, { graph } = route.params;
  title(`${graph}, values`);
  let rows = new Map(), handle = null, families = 0, ended = false, loading = false, built = "", isFirst = true, left = 0;
  const told = new Map(), problem = h("p", { class: "notice bad", hidden: true });

  const clear = () => {
    for (const row of rows.values()) row.close();
    rows = new Map();
  };

  const kin = (families = []) => families.length > 0 && h("section", { class: "card" }, h("h2", {}, "Families"), h("p", {}, families.map(({ name, members }, i) =>
    [i ? ", " : "", h("a", { href: href(`${graphPath(graph)}?node=${encodeURIComponent(name)}`) }, h("code", {}, name)), ` with ${plural(members, "member")}`])));

  async function load() {
    if (client.picture) return client.picture();
    const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json`, { signal });
    const body = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(body.detail ?? body.title), { code: body.code });
    return body;
  }

  /** Rows whose nodes are defined as before stay, with what somebody types in them. */
  function build(picture) {
    const named = picture.nodes.filter(({ name }) => name), shapes = new Map(named.map((node) => [node.name, shapeOf(node)]));
    const shape = [...shapes.values()].join();
    if (shape === built) return;
    built = shape;
    const before = rows, focused = document.activeElement;
    rows = new Map();
    const table = (heading, nodes) => {
      if (!nodes.length) return null;
      const body = h("tbody");
      for (const node of nodes) {
        const kept = before.get(node.name), row = kept?.shape === shapes.get(node.name) ? kept : new Row(context, node);
        if (row === kept) before.delete(node.name);
        row.shape = shapes.get(node.name);
        // What the picture says holds until the subscription answers.
        if (told.has(node.name)) row.show(...told.get(node.name));
        else if (node.n !== undefined) row.show(node, node.t);
        rows.set(node.name, row);
        body.append(row.element);
      }
      return h("section", { class: "card" }, h("div", { class: "scroll" }, h("table", { class: "values" }, h("caption", {}, heading),
        h("thead", {}, h("tr", {}, ["Node", "Value", heading === "Set by clients" ? "Set" : "Made by", "Changed"].map((label, i) =>
          h("th", { scope: "col", class: i === 3 && "num" }, label)))), body)));
    };
    const mutable = named.filter(({ kind }) => kind === "mutable"), derived = named.filter(({ kind }) => kind !== "mutable");
    if (!named.length && !picture.families?.length) return element.replaceChildren(note("No nodes", "This graph's definition has no nodes yet."));
    element.replaceChildren(problem, h("div", { class: "page" }, ...[table("Set by clients", mutable), table("Derived", derived)].filter(Boolean),
      kin(picture.families),
      h("p", { class: "small dim" }, client.picture ? "These are the values of one revision." : "This table listens to all of these nodes, so they are alive while it is open.")));
    for (const row of before.values()) row.close();
    // What was moved has lost the focus.
    if (focused?.isConnected && element.contains(focused)) focused.focus({ preventScroll: true });
  }

  async function show() {
    if (loading) return;
    loading = true;
    try {
      const picture = await load();
      if (ended) return;
      families = picture.families?.length;
      build(picture);
    } catch (error) {
      if (ended) return;
      if (error.code) return element.replaceChildren(note("There is no such graph", `${error.message}. It may have been removed, or not be yours to see.`));
      // Without an answer the connection's state says what is wrong; the table stays as it was.
      if (!rows.size) element.replaceChildren(note("Not loaded", "The server does not answer. The table comes as soon as it does."));
      return;
    } finally {
      loading = false;
    }
    // Members of families are listed in the graph view, page by page.
    handle ??= client.watch({ graph, nodes: families ? [...rows.keys()] : ["*"] }, null, (_, { m, t, gap, more, ended: end }) => {
      left = more ?? left;
      setText(problem, end ? `The values cannot be followed: ${end.msg ?? end.code}.` : `${plural(left, "more node")} not followed: the server allows no more at once.`);
      problem.hidden = end ? end.code === "closed" : !left;
      if (end) return;
      // All at once come with the time of the graph's last change, which is not that of each.
      const isAll = isFirst || gap !== undefined;
      isFirst = false;
      for (const [name, entry] of Object.entries(m)) {
        const row = rows.get(name), at = entry.same ? row?.at : isAll && (!row?.entry || same(row.entry.v, entry.v)) ? row?.at ?? 0 : t;
        told.set(name, [entry, at]);
        if (row) row.show(entry, at);
        else show();
      }
    }, { every: 100, facets: true });
  }

  await Promise.all(["/ui/table.css", "/views/views.css"].map(style));
  if (signal.aborted) return { unmount() {} };
  let wasLive = false;
  store.listen("state", ({ name, restarted }) => {
    const live = name === "live";
    // Another history may come with another definition.
    if (live && (!wasLive && !rows.size || restarted)) show();
    wasLive = live;
  }, signal);
  frame.tick(() => { const now = Date.now(); for (const row of rows.values()) row.tick(now, frame.paused); }, signal);
  if (!rows.size) show();
  return {
    unmount() {
      ended = true;
      handle?.close();
      clear();
    },
  };
}
