// The live graph of one name. It observes, and owns nothing.
import { graphPath, h, load, setText } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { highlightOf } from "./highlight.js";
import { GraphModel, reach } from "./model.js";
import { countsOf } from "./scene.js";
import { Selection } from "./selection.js";
import { GraphView } from "./view.js";

/** Fetched when the user becomes active, so that the first key or click works. */
const likely = ["panel", "search"];

export async function mount(element, context) {
  await context.style("/graph/graph.css");
  return context.signal.aborted ? null : new GraphPage(element, context);
}

/** Its public members are for its parts, which their modules make by `attach(page)`. */
class GraphPage {
  context; graph; model = new GraphModel(); view; parts = {}; loading = new Map();
  selected = null; focused = null; mode = null; leaveWords = null; wanted = null;
  /** The members of families that are drawn, by name. */
  #members = [];
  #subscription; #item; #isReady = false; #hasShown = false; #isOther = false;

  constructor(element, context) {
    this.context = context;
    const { frame, signal, store, keys } = context, { model } = this;
    this.graph = context.route.params.graph;
    this.view = new GraphView({
      frame, model, narrow: store.get("narrow"), signal,
      on: {
        take: (event, id) => this.selection.take(event, id), hover: (id) => this.highlight.hover(id),
        focused: (id) => this.selection.show(this.view.picture.nodes.get(id)),
          lost: (gone) => this.selection.lost(gone),
        scene: () => this.#follow(), moved: () => this.parts.minimap?.mark(), missing: () => this.#missing(),
      },
    });
    this.selection = new Selection(this);
    this.#build(element);
    this.highlight = highlightOf(this);
    this.#item = frame.item(element, () => this.#refresh());
    signal.addEventListener("abort", () => this.#item.close(), { once: true });
    frame.tick(() => { this.parts.panel?.update(); this.parts.outline?.mark(); }, signal);
    store.listen("narrow", (isNarrow) => this.#narrow(isNarrow), signal);
    store.listen("graphs", (graphs) => this.#age(graphs), signal);
    for (const [key, label, ...act] of [
      ["f", "Focus: both ways, upstream, downstream, off", "cycleFocus"],
        ["o", "Owners: what keeps this node alive", "toggleOwners"],
      ["+", "Zoom in", "zoom", 1.25], ["-", "Zoom out", "zoom", 0.8], ["Escape", "Step out", "escape"],
    ]) keys.bind(key, label, () => this.act(...act), { signal, group: "Graph" });
    keys.bind("0", "Fit the picture", () => this.view.fit(), { signal, group: "Graph" });
    keys.bind("/", "Search nodes", () => { this.field.focus(); this.field.select(); }, { signal, group: "Graph" });
    store.listen("present", (isPresent) => isPresent && this.#attend(), signal);
    this.update(context.route);
    this.#observe();
    this.words();
  }

  /** Resolves to a part of the page, made on first use; to nothing if it cannot be loaded. */
  part(name) {
    if (!this.loading.has(name)) {
      const { signal, store, style } = this.context;
      this.loading.set(name, Promise.all([load(`/graph/${name}.js`),
        store.get("narrow") && style("/ui/dialogs.css")])
        .then(([module]) => (signal.aborted ? null : (this.parts[name] = module.attach(this))), () => {
          this.loading.delete(name);
          this.#missing();
          return null;
        }));
    }
    return this.loading.get(name);
  }

  act(name, ...given) { return this.selection[name](...given); }

  #missing() { this.context.announce("Not there: the server does not answer", { assertive: true }); }

  #build(element) {
    const { header } = this.context;
    const button = (label, action, more = {}) =>
      h("button", { type: "button", class: "quiet", onclick: action, ...more }, label);
    this.pictureButton = button("Picture", () => this.go({ view: "picture" }));
    this.outlineButton = button("Outline", () => this.go({ view: "outline" }));
    this.asleepButton = button("Asleep", () => this.act("toggleAsleep"),
      { "aria-pressed": "true", title: "Show declared nodes that nobody needs" });
    this.stepsButton = button("Fold chains", () => this.act("toggleSteps"), { "aria-pressed": "false" });
    this.field = h("input", { type: "search", class: "search-field", placeholder: "Find a node  /",
      "aria-label": "Find a node", autocomplete: "off", spellcheck: "false", onfocus: () => this.part("search"),
      onkeydown: (event) => { if (event.key === "Enter"
        && !this.parts.search) this.part("search").then((search) => search?.first()); } });
    header.append(h("div", { class: "graph-head in-graph" }, h("div", { class: "search" }, this.field),
      h("div", { class: "segments", role: "group", "aria-label": "View" }, this.pictureButton, this.outlineButton)));

    this.weight = h("span", { class: "weight" }, "");
    this.counts = h("span", { class: "counts" }, "");
    this.notice = h("span", { class: "graph-notice", role: "status" }, "");
    this.empty = h("p", { class: "graph-empty" }, "Asking the server for the graph…");
    this.stage = h("div", { class: "graph-stage" }, this.view.element, this.empty,
      h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", () => this.act("zoom", 1.25), { "aria-label": "Zoom in" }),
        button("−", () => this.act("zoom", 0.8), { "aria-label": "Zoom out" }),
      button("Fit", () => this.view.fit(), { "aria-label": "Fit the picture" }),
        button("Tidy", () => this.view.tidy(), { title: "Lay everything out anew" })));
    element.classList.add("in-graph");
    element.append(
      h("div", { class: "graph-status" }, this.weight, this.counts, this.notice,
        h("div", { class: "graph-tools", role: "group", "aria-label": "What is shown" }, this.asleepButton,
          this.stepsButton)),
      h("div", { class: "graph-body" }, this.stage),
      this.strip = h("section", { class: "lifetimes", "aria-label": "What was created and released" },
        "Nothing created or released so far"));
  }

  #observe() {
    this.#subscription?.close();
    this.#subscription = this.context.client.observe(this.graph, (message) => this.#receive(message),
      { every: 100, members: this.#members });
  }

  /** The list of graphs names the stale values. */
  #age(graphs = []) {
    const { model, view } = this, before = model.stale;
    model.stale = new Set(graphs.find(({ graph }) => graph === this.graph)?.stale);
    view.repaint([...before, ...model.stale].map((name) => `n:${name}`));
    this.#lookAtSinks();
  }

  /** Sinks are listeners of the server's own; how they do stands in what it says of the graph. */
  async #lookAtSinks() {
    const listeners = [...this.model.listeners.values()].filter(({ transport }) => transport === "sink");
    if (!listeners.length || !this.context.store.get("present")) return;
    const answer = await fetch(`/v1/graphs/${encodeURIComponent(this.graph)}`).catch(() => {});
    const { sinks = [] } = answer?.ok ? await answer.json() : {};
    const known = new Map(sinks.map((sink) => [`sink ${sink.name}`, sink]));
    for (const listener of listeners) listener.sink = known.get(listener.client);
    this.view.repaint(listeners.map(({ id }) => id));
    this.parts.panel?.rebuild();
  }

  #draw(members) {
    this.#members = members;
    this.#observe();
  }

  #receive(message) {
    if (message.op === "err" || message.op === "end") return void this.act("refused", message);
    if (this.context.signal.aborted) return;
    const now = performance.now(), news = this.model.apply(message, now);
    this.view.apply(news, now);
    this.#isOther ||= news.structure || news.owners.size > 0;
    if (news.structure && !news.fresh) {
      const at = Date.now();
      this.part("lifetimes").then((lifetimes) => lifetimes?.take(news, at));
    }
    this.#item.mark();
    if (this.#isReady && !news.fresh) return;
    this.#isReady = true;
    this.update(this.context.route, true);
  }

  /** Once a frame, after messages. */
  #refresh() {
    const { outline, panel } = this.parts, isStructure = this.#isOther;
    this.#isOther = false;
    if (!isStructure) {
      panel?.update();
      return outline?.mark();
    }
    if (this.focused && !this.entry(this.focused.id).kind) this.go({ focus: null });
    this.highlight.follow();
    outline?.refresh();
    panel?.rebuild();
    this.words();
  }

  #follow() {
    this.highlight.draw();
    this.#map();
    this.words();
    if (this.wanted) this.act("reveal");
  }

  #attend() {
    for (const name of likely) load(`/graph/${name}.js`).catch(() => { /* asked for again when it is needed */ });
    this.#map();
  }

  #map() {
    if (this.context.store.get("present") && this.view.scene?.nodes.length > 40) this.part("minimap");
    this.parts.minimap?.mark();
  }

  words() {
    const { model, view: { scene } } = this, isReady = this.#isReady;
    const mine = [...model.listeners.values()].find(({ you }) => you);
    const owned = [...model.nodes.values()].filter(({ owners }) => owners.includes(mine?.id)).length;
    setText(this.weight, mine ? `You keep ${plural(owned, "node")} alive` : "Observing only – keeps nothing alive");
    this.weight.classList.toggle("owning", Boolean(mine));
    setText(this.counts, isReady ? countsOf(model, scene, Boolean(this.focused)) : "");
    const ring = this.view.leaks.size ? `Leak: ${plural(this.view.leaks.size, "node")} in a ring that nobody owns` : "";
    setText(this.notice, this.leaveWords ?? ring);
    this.notice.classList.toggle("bad-text", !this.leaveWords && ring !== "");
    if (isReady) this.empty.hidden = model.nodes.size > 0;
    if (isReady) setText(this.empty, "This graph has no nodes yet.");
    if (!scene) return;
    this.stepsButton.setAttribute("aria-pressed", String(scene.folds));
    this.stage.dataset.shown = scene.shown;
  }

  /** The address has changed; it holds everything that can be shared. */
  update(route, isFresh = false) {
    this.context.route = route;
    const { query } = route, asked = query.get("node"), view = query.get("view");
    const mode = /^(outline|picture)$/.test(view) ? view : this.context.store.get("narrow") ? "outline" : "picture";
    if (mode !== this.mode) this.#setMode(mode);
    if (!this.#isReady) return;
    const id = asked === null ? null : this.find(asked), direction = query.get("focus");
    if (asked !== null && !id && !this.#members.includes(asked)
      && this.model.familyOf(asked)) return this.#draw([asked]);
    // What is closed is not drawn any more.
    if (asked === null && this.#members.length) this.#draw([]);
    const focus = id && /^(both|up|down)$/.test(direction) ? { id, direction } : null;
    const isFirst = !this.#hasShown || (isFresh && this.#members.includes(asked) && id !== this.selected);
    if (!isFirst && id === this.selected && focus?.direction === this.focused?.direction) return;
    this.#hasShown = true;
    this.selected = id;
    this.focused = focus;
    this.highlight.focus(focus);
    this.view.show({ selected: id, focus });
    this.parts.outline?.refresh();
    this.inspect(id);
    if ((isFirst || focus) && id) this.wanted = { id };
  }

  entry(id) { return this.model.nodes.get(id) ?? this.model.listeners.get(id) ?? { id, name: id }; }

  find(asked) { return [`n:${asked}`, asked].find((id) => this.entry(id).kind) ?? null; }

  go(change) {
    const query = new URLSearchParams(this.context.route.query);
    for (const [key, value] of Object.entries(change)) value === null ? query.delete(key) : query.set(key, value);
    const text = query.toString();
    this.context.go(graphPath(this.graph) + (text && `?${text}`), { replace: true });
  }

  select(id, options) { return this.act("select", id, options); }

  inspect(id) { return id ? this.act("inspect", id) : this.parts.panel?.hide(); }

  only() { return this.focused ? reach(this.model, this.focused.id, this.focused.direction) : null; }

  #setMode(mode) {
    this.mode = mode;
    this.stage.dataset.mode = mode;
    this.pictureButton.setAttribute("aria-pressed", mode === "picture");
    this.outlineButton.setAttribute("aria-pressed", mode === "outline");
    this.view.show({});
    if (mode === "outline") this.part("outline").then((outline) => outline?.refresh());
  }

  #narrow(isNarrow) {
    this.view.setNarrow(isNarrow);
    this.parts.outline?.setNarrow(isNarrow);
    if (!this.#isReady) return;
    if (!isNarrow) this.parts.panel?.widen();
    this.update(this.context.route);
  }

  unmount() {
    this.#subscription?.close();
    this.parts.panel?.hide();
  }
}
