// The live graph of one name. It observes, and owns nothing.
import { graphPath, h, load, setText } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { GraphModel, reach } from "./model.js";
import { countsOf } from "./scene.js";
import { Highlight, Selection } from "./selection.js";
import { troubleOf } from "./shapes.js";
import { GraphView } from "./view.js";

/** The parts whose styles are not among those of the view itself. */
const styled = ["large", "legend", "lifetimes", "search"];

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
  /** A graph too large for one picture is drawn around one node. */
  isLarge = false; around;
  isReady = false;
  #held = null; #subscription; #item; #hasShown = false; #isOther = false;

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
        scene: () => this.#follow(), moved: () => { this.parts.minimap?.mark(); this.parts.attention?.place(); },
          lines: () => this.highlight.lines(), missing: () => this.#missing(),
      },
    });
    this.selection = new Selection(this);
    this.#build(element);
    this.highlight = new Highlight(this);
    this.#item = frame.item(element, () => this.#refresh());
    signal.addEventListener("abort", () => this.#item.close(), { once: true });
    frame.tick(() => { this.parts.panel?.update(); this.parts.outline?.mark(); }, signal);
    store.listen("narrow", (isNarrow) => this.#narrow(isNarrow), signal);
    store.listen("graphs", (graphs) => this.#age(graphs), signal);
    for (const [key, label, name, ...given] of [
      ["f", "Focus: both ways, upstream, downstream, off", "cycleFocus"],
        ["o", "Owners: what keeps this node running", "toggleOwners"],
      ["+", "Zoom in", "zoom", 1.25], ["-", "Zoom out", "zoom", 0.8], ["Escape", "Step out", "escape"],
    ]) keys.bind(key, label, () => this.selection[name](...given), { signal, group: "Graph" });
    keys.bind("0", "Fit the picture", () => this.view.fit(), { signal, group: "Graph" });
    keys.bind("/", "Search nodes", () => { this.field.focus(); this.field.select(); }, { signal, group: "Graph" });
    store.listen("present", (isPresent) => isPresent && this.#attend(), signal);
    this.update(context.route);
    this.observe();
    this.words();
  }

  /** Resolves to a part of the page, made on first use; to nothing if it cannot be loaded. */
  part(name) {
    if (!this.loading.has(name)) {
      const { signal, store, style } = this.context;
      this.loading.set(name, Promise.all([load(`/graph/${name}.js`), styled.includes(name) && style("/graph/more.css"),
        store.get("narrow") && style("/ui/dialogs.css")])
        .then(([module]) => (signal.aborted ? null : (this.parts[name] = module.attach(this))), () => {
          this.loading.delete(name);
          this.#missing();
          return null;
        }));
    }
    return this.loading.get(name);
  }

  #missing() { this.context.announce("Not there: the server does not answer", { assertive: true }); }

  #build(element) {
    const { header } = this.context;
    const button = (label, action, more = {}) =>
      h("button", { type: "button", class: "quiet", onclick: action, ...more }, label);
    this.pictureButton = button("Picture", () => this.go({ view: "picture" }));
    this.outlineButton = button("Outline", () => this.go({ view: "outline" }));
    this.asleepButton = button("Not running", () => this.selection.toggleAsleep(),
      { "aria-pressed": "true", title: "Show nodes that are not running because nobody listens (asleep)" });
    this.detailsButton = button("Details", () => this.go({ details: this.view.view.details ? null : "1" }),
      { "aria-pressed": "false", title: "Show the steps of pipelines, and all lines to clients" });
    this.closeButton = button("Close groups", () => this.selection.closeGroups(), { hidden: true });
    this.field = h("input", { type: "search", placeholder: "Find a node  /",
      "aria-label": "Find a node", autocomplete: "off", spellcheck: "false", onfocus: () => this.part("search"),
      onkeydown: (event) => { if (event.key === "Enter"
        && !this.parts.search) this.part("search").then((search) => search?.first()); } });
    header.append(h("div", { class: "graph-head in-graph" }, h("div", { class: "graph-search" }, this.field),
      h("div", { class: "graph-segments", role: "group", "aria-label": "View" }, this.pictureButton, this.outlineButton)));

    this.weight = h("span", { class: "weight" }, "");
    this.counts = h("span", { class: "counts" }, "");
    this.notice = h("span", { class: "graph-notice", role: "status" }, "");
    this.empty = h("p", { class: "graph-empty" }, "Asking the server for the graph…");
    this.stage = h("section", { class: "graph-stage", "aria-label": "Nodes" }, this.view.element, this.empty,
      h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", () => this.selection.zoom(1.25), { "aria-label": "Zoom in" }),
        button("−", () => this.selection.zoom(0.8), { "aria-label": "Zoom out" }),
      button("Fit", () => this.view.fit(), { "aria-label": "Fit the picture" }),
        button("Tidy", () => this.view.tidy(), { title: "Lay everything out anew" }),
        button("Legend", () => this.part("legend").then((legend) => legend?.togglePopover()), { "aria-haspopup": "dialog" })));
    element.classList.add("in-graph");
    element.append(
      h("div", { class: "graph-status" }, this.counts, this.weight, this.notice,
        h("div", { class: "graph-tools", role: "group", "aria-label": "What is shown" }, this.closeButton,
          this.asleepButton, this.detailsButton)),
      h("div", { class: "graph-body" }, this.stage),
      this.strip = h("section", { class: "lifetimes", "aria-label": "What was created and released" },
        "No node was started or stopped since this page opened"));
  }

  observe() {
    this.#subscription?.close();
    this.#subscription = null;
    if (this.isLarge && this.around === null) return;
    this.#subscription = this.context.client.observe(this.graph, (message) => this.#receive(message),
      { every: 100, ...(this.isLarge ? { around: this.around, depth: 2 } : { members: this.#members }) });
  }

  /** The list of graphs names the stale values. */
  #age(graphs = []) {
    const { model, view } = this, before = model.stale;
    model.stale = new Set(graphs.find(({ graph }) => graph === this.graph)?.stale);
    view.repaint([...before, ...model.stale].map((name) => `n:${name}`));
    this.warn();
    if ([...model.listeners.values()].some(({ transport }) => transport === "sink") && this.context.store.get("present")) {
      load("/graph/others.js").then(({ lookAtSinks }) => lookAtSinks(this), () => { /* the next look */ });
    }
  }

  #draw(members) {
    this.#members = members;
    this.observe();
  }

  #receive(message) {
    if (message.code === "too_large" && !this.isLarge) {
      this.isLarge = true;
      return this.update(this.context.route);
    }
    if (message.op === "err" || message.op === "end") return void this.selection.refused(message);
    if (this.context.signal.aborted || this.#isHeld(message)) return;
    const now = performance.now(), news = this.model.apply(message, now);
    this.view.apply(news, now);
    this.#isOther ||= news.structure || news.owners.size > 0;
    if (this.model.listeners.size) this.part("clients");
    if (this.model.families.length) this.part("spread");
    if (news.structure && !news.fresh) {
      const at = Date.now();
      this.part("lifetimes").then((lifetimes) => lifetimes?.take(news, at));
    }
    this.#item.mark();
    if (this.isReady && !news.fresh) return;
    this.isReady = true;
    this.update(this.context.route, true);
  }

  /** Messages wait for what is needed to understand them. */
  #isHeld(message) {
    const { model } = this;
    if (model.kin || !(this.#held || message.families?.length || message.upstreams?.length)) return false;
    if (this.#held) return this.#held.push(message);
    this.#held = [message];
    load("/graph/kin.js").then((kin) => {
      model.kin = kin;
      for (const each of this.#held) this.#receive(each);
    }, () => this.#missing()).then(() => (this.#held = null));
    return true;
  }

  /** Once a frame, after messages. */
  #refresh() {
    const { outline, panel } = this.parts, isStructure = this.#isOther;
    this.#isOther = false;
    this.warn();
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
    this.warn();
    this.#map();
    this.words();
    if (this.wanted) this.selection.reveal();
  }

  #attend() {
    // So that the first click works also after the server has gone.
    load("/graph/panel.js").catch(() => { /* asked for again when it is needed */ });
    this.#map();
  }

  /** What calls for attention is counted, once there is something. */
  warn() {
    const { model, parts, isLarge } = this;
    if (parts.attention) return parts.attention.refresh();
    const all = [...model.nodes.values(), ...model.listeners.values()];
    if (isLarge || all.some((entry) => troubleOf(entry, model.stale.has(entry.name)))) this.part("attention");
  }

  #map() {
    if (this.context.store.get("present") && this.view.scene?.nodes.length > 40) this.part("minimap");
    this.parts.minimap?.mark();
  }

  words() {
    const { model, view: { scene } } = this, isReady = this.isReady;
    const mine = [...model.listeners.values()].find(({ you }) => you);
    const owned = [...model.nodes.values()].filter(({ owners }) => owners.includes(mine?.id)).length;
    setText(this.weight, mine ? `You keep ${plural(owned, "node")} alive` : "Observing only – keeps nothing alive");
    this.weight.classList.toggle("owning", Boolean(mine));
    setText(this.counts, !isReady ? "" : (this.isLarge ? `Around ${this.around}: ` : "")
      + countsOf(model, scene, Boolean(this.focused)));
    const ring = this.view.leaks.size ? `Leak: ${plural(this.view.leaks.size, "node")} in a ring that nobody owns` : "";
    setText(this.notice, this.leaveWords ?? ring);
    this.notice.classList.toggle("bad-text", !this.leaveWords && ring !== "");
    this.closeButton.hidden = this.view.view.open.size === 0;
    if (isReady) {
      this.empty.hidden = model.nodes.size > 0 && (scene !== null || this.mode === "outline");
      setText(this.empty, model.nodes.size ? "Drawing the nodes…" : "This graph has no nodes yet.");
    }
    if (!scene) return;
    this.stage.dataset.shown = scene.shown;
  }

  /** The address has changed; it holds everything that can be shared. */
  update(route, isFresh = false) {
    this.context.route = route;
    const { query } = route, asked = query.get("node"), view = query.get("view");
    const mode = /^(outline|picture)$/.test(view) ? view : this.context.store.get("narrow") ? "outline" : "picture";
    const details = query.get("details") === "1";
    if (mode !== this.mode) this.#setMode(mode);
    if (this.isLarge) this.part("large").then((large) => large?.look(asked));
    this.stage.dataset.mode = this.isLarge && asked === null ? "large" : mode;
    if (details !== this.view.view.details) this.#detail(details);
    if (!this.isReady) return;
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
    this.inspect(id, isFirst);
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

  select(id, options) { return this.selection.select(id, options); }

  inspect(id, isFirst) { return id ? this.selection.inspect(id, isFirst) : this.parts.panel?.hide(); }

  only() { return this.focused ? reach(this.model, this.focused.id, this.focused.direction) : null; }

  #detail(details) {
    this.view.show({ details });
    this.detailsButton.setAttribute("aria-pressed", String(details));
    this.parts.outline?.refresh();
  }

  #setMode(mode) {
    this.mode = mode;
    this.pictureButton.setAttribute("aria-pressed", mode === "picture");
    this.outlineButton.setAttribute("aria-pressed", mode === "outline");
    this.view.show({});
    if (mode === "outline") this.part("outline").then((outline) => outline?.refresh());
  }

  #narrow(isNarrow) {
    this.view.setNarrow(isNarrow);
    this.parts.outline?.setNarrow(isNarrow);
    if (!this.isReady) return;
    if (!isNarrow) this.parts.panel?.widen();
    this.update(this.context.route);
  }

  unmount() {
    this.#subscription?.close();
    this.parts.panel?.hide();
  }
}
