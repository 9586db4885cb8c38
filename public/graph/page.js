// The live graph of one name. It observes, and owns nothing; what stands beside the picture is loaded when it is first needed.
import { h, load, setText } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { graphPath } from "/lib/page.js";
import { GraphModel, reach, refusalOf } from "./model.js";
import { countsOf } from "./scene.js";
import { GraphView } from "./view.js";
import { titleOf } from "./shapes.js";

const directions = ["both", "up", "down"];
/** Fetched when somebody is there, so that the first key or click finds it. */
const likely = ["hands", "inspector", "search"];

export async function mount(element, context) {
  await context.style("/graph/graph.css");
  return new GraphPage(element, context);
}

/** What is public of it is for its parts, which are made by `attach(page)` of their modules. */
class GraphPage {
  context; graph; model = new GraphModel(); view; parts = {}; loading = new Map();
  #subscription; selected = null; focused = null; mode = null; #item; #hovered = null; ready = false;
  leaveWords = null; #shownOnce = false; wanted = null;
  #stale = { structure: false, values: false };

  constructor(element, context) {
    this.context = context;
    const { frame, signal, store, client, keys } = context;
    this.graph = context.route.params.graph;
    const narrow = store.get("narrow");
    const model = this.model;

    this.view = new GraphView({
      frame, model, narrow, signal,
      on: {
        select: (id) => this.select(id), open: (id, shape) => this.#act("open", id, shape), walk: (dx, dy) => this.part("ways").then((ways) => ways?.walk(dx, dy)), hover: (id) => this.#hover(id),
        scene: (scene) => { this.#map(scene); this.#flagLeaks(scene); this.words(); if (this.wanted) this.#act("reveal"); }, moved: () => this.parts.minimap?.mark(),
        lost: (gone) => this.#refocus(gone),
      },
    });
    this.#build(element);
    this.#item = frame.item(element, () => this.#follow());
    signal.addEventListener("abort", () => this.#item.close(), { once: true });
    frame.tick(() => { this.parts.inspector?.update(); this.parts.outline?.mark(); }, signal);
    store.listen("narrow", (isNarrow) => this.#narrow(isNarrow), signal);
    this.#bind(keys, signal);
    const present = new AbortController();
    for (const event of ["pointermove", "pointerdown", "keydown"]) {
      addEventListener(event, () => {
        present.abort();
        context.style("/graph/panels.css");
        this.part("ways");
        this.part("acts");
        for (const name of likely) load(`/graph/${name}.js`).catch(() => { /* asked for again when it is needed */ });
      }, { signal: AbortSignal.any([signal, present.signal]) });
    }
    this.update(context.route);
    this.#subscription = client.observe(this.graph, (message) => this.#receive(message), { every: 100 });
    this.words();
  }

  /** Resolves to a part of the page, made when it is first asked for. */
  part(name) {
    if (!this.loading.has(name)) {
      const { signal, announce, store, style } = this.context;
      this.loading.set(name, Promise.all([load(`/graph/${name}.js`), !/acts|minimap/.test(name) && style("/graph/panels.css"), store.get("narrow") && style("/ui/dialogs.css")])
        .then(([module]) => (signal.aborted ? null : (this.parts[name] = module.attach(this))), () => {
          this.loading.delete(name);
          announce("Not there: the server does not answer", { assertive: true });
          return null;
        }));
    }
    return this.loading.get(name);
  }

  #act(name, ...given) { return this.part("acts").then((acts) => acts?.[name](...given)); }

  #map({ nodes }) {
    if (nodes.length > 40) this.part("minimap");
    this.parts.minimap?.mark();
  }

  #build(element) {
    const { header } = this.context;
    const button = (label, action, more = {}) => h("button", { type: "button", class: "quiet", onclick: action, ...more }, label);
    this.pictureButton = button("Picture", () => this.go({ view: "picture" }), { "aria-pressed": "true" });
    this.outlineButton = button("Outline", () => this.go({ view: "outline" }), { "aria-pressed": "false" });
    this.asleepButton = button("Asleep", () => this.#act("toggleAsleep"), { "aria-pressed": "true", title: "Show declared nodes that nobody needs" });
    this.stepsButton = button("Fold chains", () => this.#act("toggleSteps"), { "aria-pressed": "false" });
    this.field = h("input", { type: "search", class: "search-field", placeholder: "Find a node  /", "aria-label": "Find a node", autocomplete: "off", spellcheck: "false", onfocus: () => this.part("search"), onkeydown: (event) => { if (event.key === "Enter" && !this.parts.search) this.part("search").then((search) => search?.first()); } });
    header.append(h("div", { class: "search" }, this.field), h("div", { class: "segments", role: "group", "aria-label": "View" }, this.pictureButton, this.outlineButton));

    this.weight = h("span", { class: "weight" }, "");
    this.counts = h("span", { class: "counts" }, "");
    this.notice = h("span", { class: "graph-notice", role: "status" }, "");
    this.focusChip = h("span", { class: "focus-chip", hidden: true }, this.focusWords = h("span", {}, ""), button("Show all", () => this.go({ focus: null })));
    this.empty = h("p", { class: "graph-empty" }, "Asking the server for the graph…");
    const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", () => this.view.camera.zoomBy(1.25), { "aria-label": "Zoom in" }), button("−", () => this.view.camera.zoomBy(0.8), { "aria-label": "Zoom out" }), button("Fit", () => this.view.fit(), { "aria-label": "Fit the picture" }),
      button("Tidy", () => this.view.tidy(), { title: "Lay everything out anew" }));
    this.stage = h("div", { class: "graph-stage" }, this.view.element, this.empty, zoom);
    element.classList.add("graph-view");
    element.append(
      h("div", { class: "graph-status" }, this.weight, this.counts, this.focusChip, this.notice, h("div", { class: "graph-tools", role: "group", "aria-label": "What is shown" }, this.asleepButton, this.stepsButton)),
      h("div", { class: "graph-body" }, this.stage),
      this.strip = h("section", { class: "lifetimes", "aria-label": "Births and deaths" }, "Nothing was born or released since this page looks"));
  }

  #bind(keys, signal) {
    const bind = (key, label, action) => keys.bind(key, label, action, { signal, group: "Graph" });
    bind("f", "Focus: both ways, upstream, downstream, off", () => this.#act("cycleFocus"));
    bind("o", "Owners: what keeps this node alive", () => this.#act("toggleOwners"));
    bind("+", "Zoom in", () => this.view.camera.zoomBy(1.25));
    bind("-", "Zoom out", () => this.view.camera.zoomBy(0.8));
    bind("0", "Fit the picture", () => this.view.fit());
    bind("/", "Search nodes", () => { this.field.focus(); this.field.select(); });
    bind("Escape", "Step out", () => this.#act("escape"));
  }

  #receive(message) {
    if (message.op === "err" || message.op === "end") return this.#refused(message);
    const now = performance.now();
    const news = this.model.apply(message, now);
    this.view.apply(news, now);
    if (news.structure || news.owners.size) this.#stale.structure = true;
    this.#stale.values = true;
    if (news.structure && !news.fresh) {
      const at = Date.now();
      this.part("lifetimes").then((lifetimes) => lifetimes?.take(news, at));
    }
    this.#item.mark();
    if (this.ready) return;
    this.ready = true;
    this.update(this.context.route);
  }

  #refused({ code, msg }) {
    this.empty.hidden = false;
    setText(this.empty, refusalOf(this.graph, code, msg));
  }

  /** Once a frame, after messages. */
  #follow() {
    const { structure, values } = this.#stale;
    this.#stale = { structure: false, values: false };
    if (structure) {
      if (this.parts.ways) this.parts.ways.follow();
      else if (this.mode === "outline") this.#flagLeaks();
      this.parts.outline?.refresh();
      this.parts.inspector?.rebuild();
      this.words();
    } else if (values) {
      this.parts.inspector?.update();
      this.parts.outline?.mark();
    }
  }

  /** Where there may be a ring of nodes without owners, it is looked for. */
  #flagLeaks(scene) {
    const isLoose = (id) => {
      const { exists, ownerCount, kind, retain = "whileInUse" } = this.model.nodes.get(id) ?? {};
      return exists && !ownerCount && kind !== "mutable" && retain === "whileInUse";
    };
    // A whole picture knows the ways back; otherwise two such nodes in a row are reason enough.
    const leadsBack = scene && !scene.folds && !scene.clusters ? this.view.picture.memory.back : null;
    const mayLeak = ({ id, from, to, kind }) => kind === "flow" && isLoose(from) && isLoose(to) && (!leadsBack || from === to || leadsBack.has(id));
    if (!this.parts.ways && [...this.model.edges.values()].some(mayLeak)) this.part("ways").then((ways) => ways?.follow());
  }

  words() {
    const mine = [...this.model.listeners.values()].find((each) => each.you);
    const owned = mine ? [...this.model.nodes.values()].filter((node) => node.owners.includes(mine.id)).length : 0;
    setText(this.weight, mine ? `You keep ${plural(owned, "node")} alive` : "Observing only – keeps nothing alive");
    this.weight.classList.toggle("owning", Boolean(mine));
    const { scene } = this.view;
    setText(this.counts, this.ready ? countsOf(this.model, scene, Boolean(this.focused)) : "");
    const leaking = this.parts.ways?.leaks.size ?? 0;
    const ring = leaking ? `Leak: ${plural(leaking, "node")} in a ring that nobody owns` : "";
    setText(this.notice, this.leaveWords ?? ring);
    this.notice.classList.toggle("bad-text", !this.leaveWords && ring !== "");
    const nothing = this.ready && this.model.nodes.size === 0;
    if (this.ready) this.empty.hidden = !nothing;
    if (nothing) setText(this.empty, "This graph has no nodes yet.");
    if (scene) this.stepsButton.setAttribute("aria-pressed", String(scene.folds));
    if (scene) this.stage.dataset.shown = scene.shown;
  }

  /** The address has changed; all that can be shared is in it. */
  update(route) {
    this.context.route = route;
    const narrow = this.context.store.get("narrow");
    const mode = { outline: "outline", picture: "picture" }[route.query.get("view")] ?? (narrow ? "outline" : "picture");
    const asked = route.query.get("node");
    const id = asked === null ? null : this.find(asked);
    const direction = directions.includes(route.query.get("focus")) ? route.query.get("focus") : null;
    const focus = id && direction ? { id, direction } : null;
    if (mode !== this.mode) this.#setMode(mode);
    if (!this.ready) return;
    const isNew = id !== this.selected || String(focus?.direction) !== String(this.focused?.direction);
    const first = !this.#shownOnce;
    if (!isNew && !first) return;
    this.#shownOnce = true;
    this.selected = id;
    this.focused = focus;
    this.focusChip.hidden = !focus;
    if (focus) this.part("ways").then((ways) => ways && setText(this.focusWords, ways.wordsOf(focus)));
    if (this.parts.ways?.isLit) this.parts.ways.toggleOwners();
    this.view.show({ selected: id, focus });
    this.parts.outline?.refresh();
    this.inspect(id);
    if (first && id) this.wanted = { id };
  }

  entry(id) { return this.model.nodes.get(id) ?? this.model.listeners.get(id) ?? { id, name: id }; }

  find(asked) {
    if (this.model.nodes.has(`n:${asked}`)) return `n:${asked}`;
    return this.model.nodes.has(asked) || this.model.listeners.has(asked) ? asked : null;
  }

  go(change) {
    const query = new URLSearchParams(this.context.route.query);
    for (const [key, value] of Object.entries(change)) value === null ? query.delete(key) : query.set(key, value);
    const text = query.toString();
    this.context.go(graphPath(this.graph) + (text && `?${text}`), { replace: true });
  }

  #hover(id) {
    this.#hovered = id;
    if (this.parts.ways || this.model.listeners.has(id)) this.part("ways").then((ways) => ways?.hover(this.#hovered));
  }

  select(id, options) { return this.#act("select", id, options); }

  inspect(id) { return id ? this.#act("inspect", id) : this.parts.inspector?.hide(); }

  only() { return this.focused ? reach(this.model, this.focused.id, this.focused.direction).nodes : null; }

  #setMode(mode) {
    this.mode = mode;
    this.stage.dataset.mode = mode;
    this.pictureButton.setAttribute("aria-pressed", String(mode === "picture"));
    this.outlineButton.setAttribute("aria-pressed", String(mode === "outline"));
    this.view.show({});
    if (mode === "outline") this.part("outline").then((outline) => outline?.refresh());
  }

  #narrow(isNarrow) {
    this.view.setNarrow(isNarrow);
    this.parts.outline?.setNarrow(isNarrow);
    if (!this.ready) return;
    if (!isNarrow) this.parts.inspector?.widen();
    this.update(this.context.route);
  }

  /** The node under the keyboard is gone, or its group open: a member or its nearest upstream neighbour takes over. */
  #refocus({ entry, near }) {
    const to = near.find((id) => this.view.focus(id)) ?? this.view.current;
    this.view.focus(to);
    if (entry.kind) this.context.announce(`${titleOf(entry)} is gone. Now at ${titleOf(this.entry(to))}`);
  }

  unmount() {
    this.#subscription?.close();
    this.parts.inspector?.hide();
  }
}
