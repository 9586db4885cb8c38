// The picture: draws a scene, follows its values, and lets what is gone fade at its old place.
import { load, svg, setAttribute } from "/lib/dom.js";
import { layout } from "./layout.js";
import { needsGroups, sceneOf, sizes } from "./scene.js";
import { EdgeLayer, Shape, markers, sentenceOf } from "./shapes.js";
import { Camera } from "./camera.js";

/** Milliseconds between two layouts, two texts of a node; of fading; between two labels. */
const calm = { layout: 250, text: 100, gone: 900, label: 1000 };
/** More nodes are laid out by a worker. */
const workerFrom = 300;

export class GraphView {
  /** What of the graph is drawn; change it with `show()`. */
  view = { asleep: true, steps: "auto", focus: null, selected: null, open: new Set() };
  scene = null;
  picture = null;

  #model; #on; #frame; #direction; #narrow; #signal;
  #shapes = new Map();
  #edges;
  #dying = new Map();
  #dirty = new Set();
  #painted = new Map();
  #leaks = new Set();
  #needsLayout = true;
  #laidOutAt = -Infinity;
  #waiting = false;
  #current = null;
  #lit = null;
  #hasFitted = false;
  #labelledAt = 0;
  /** What only some layouts need. */
  #modules = {};

  constructor({ frame, model, narrow, signal, on }) {
    this.#model = model;
    this.#on = on;
    this.#narrow = narrow;
    this.#signal = signal;
    this.#edges = new EdgeLayer(model);
    this.element = svg("svg", { class: "picture", role: "group", "aria-label": "Picture of the graph" },
      markers(),
      this.layer = svg("g", { class: "camera" }, this.#edges.element, this.nodeLayer = svg("g", { class: "nodes" })));
    this.camera = new Camera(this.element, this.layer, () => this.picture?.bounds ?? { x: 0, y: 0, w: 0, h: 0 }, () => on.moved?.(), signal);
    const listen = (name, body) => this.element.addEventListener(name, body, { signal });
    listen("click", (event) => this.#click(event));
    listen("keydown", (event) => this.#key(event));
    listen("focusin", (event) => { const id = event.target.closest?.(".node")?.dataset.id; if (id) this.#rove(id); });
    for (const [name, kind] of [["pointerover", "enter"], ["pointerout", "leave"], ["focusin", "enter"], ["focusout", "leave"]]) {
      listen(name, (event) => { const id = event.target.closest?.(".node")?.dataset.id; if (id) on.hover?.(kind === "enter" ? id : null); });
    }
    new ResizeObserver(() => { if (this.picture && !this.#hasFitted) this.fit(); }).observe(this.element);
    this.#frame = frame.item(this.element, (now) => this.#draw(now));
    frame.tick(() => this.#age(), signal);
    signal.addEventListener("abort", () => this.#frame.close(), { once: true });
  }

  apply(news, now) {
    if (news.fresh) this.#dying.clear();
    for (const gone of [...news.died, ...news.left]) {
      if (news.born.includes(gone.id) || news.joined.includes(gone.id)) continue; // never seen
      this.#dying.set(gone.id, { ...gone, at: now });
    }
    if (news.structure) this.#needsLayout = true;
    for (const set of [news.values, news.owners]) for (const id of set) this.#dirty.add(id);
    if (!news.fresh) for (const id of news.values) this.#flash(id, now);
    this.#frame.mark();
  }

  show(change) {
    Object.assign(this.view, change);
    this.#needsLayout = true;
    this.#laidOutAt = -Infinity;
    this.#frame.mark();
  }

  setNarrow(narrow) {
    if (narrow === this.#narrow) return;
    this.#narrow = narrow;
    this.tidy();
  }

  tidy() {
    if (this.picture) this.picture.memory = null;
    this.#direction = null;
    this.#hasFitted = false;
    this.show({});
  }

  fit() {
    if (!this.scene?.nodes.length || !this.element.clientWidth) return;
    this.#hasFitted = true;
    this.camera.fit([...this.picture.nodes.values()]);
  }

  /** Lights up `{nodes, edges}` of the model, or nothing; `kind` is `owners` or `leaving`. */
  light(kind, set) {
    this.#lit = set ? { kind, ...set } : null;
    this.element.classList.toggle("dimmed", kind === "owners" && Boolean(set));
    this.#relight();
  }

  #relight() {
    const of = this.scene?.of;
    const drawn = new Set([...(this.#lit?.nodes ?? [])].map((id) => of?.get(id) ?? id));
    const kind = this.#lit?.kind;
    for (const [id, shape] of this.#shapes) {
      shape.element.classList.toggle("lit", kind === "owners" && drawn.has(id));
      shape.element.classList.toggle("leaving", kind === "leaving" && drawn.has(id));
    }
    this.#edges.light(kind === "owners" ? this.#lit.edges : null);
  }

  setLeaks(leaks) {
    for (const id of [...this.#leaks, ...leaks]) if (this.#leaks.has(id) !== leaks.has(id)) this.#dirty.add(id);
    this.#leaks = leaks;
    this.#frame.mark();
  }

  /** What a node is drawn as: itself, a fold, or a cluster. */
  drawn(id) { return this.scene?.of.get(id); }

  box(id) { return this.picture?.nodes.get(this.drawn(id) ?? id); }

  reveal(id, { focus = false } = {}) {
    const box = this.box(id);
    if (!box) return false;
    this.camera.show(box);
    if (focus) this.focus(this.drawn(id) ?? id);
    return true;
  }

  focus(id) {
    const shape = this.#shapes.get(id);
    if (!shape) return false;
    this.#rove(id);
    shape.element.focus({ preventScroll: true });
    return true;
  }

  get current() { return this.#current; }
  get edges() { return this.#edges.values(); }
  get isDown() { return this.#direction === "down"; }

  #draw(now) {
    let more = this.#bury(now);
    if (this.#needsLayout && !this.#waiting) {
      if (now - this.#laidOutAt >= calm.layout) this.#layout(now);
      else more = true;
    }
    for (const id of this.#dirty) {
      const due = (this.#painted.get(id) ?? -Infinity) + calm.text;
      if (now < due) { more = true; continue; }
      this.#dirty.delete(id);
      this.#paint(id, now);
    }
    if (now - this.#labelledAt > calm.label) {
      this.#labelledAt = now;
      const current = this.#current && this.#entryOf(this.#current);
      if (current) this.#shapes.get(this.#current)?.describe(this.#sentence(this.#current, now));
    }
    return more;
  }

  #entryOf(id) {
    return this.#model.nodes.get(id) ?? this.#model.listeners.get(id) ?? this.#shapes.get(id)?.entry;
  }

  #sentence(id, now) {
    const shape = this.#shapes.get(id);
    if (shape.type === "cluster") return `${shape.label}, ${shape.members.length} nodes, folded; press Enter to open`;
    if (shape.type === "fold") return `${sentenceOf(this.#model.nodes.get(shape.members.at(-1)) ?? shape.entry)}, ${shape.members.length} steps folded; press Enter to open`;
    return `${sentenceOf(this.#entryOf(id), this.#model.rate(id, now))}${this.#leaks.has(id) ? ", leak: a ring that nobody owns" : ""}`;
  }

  #paint(id, now) {
    const drawn = this.scene?.of.get(id);
    const shape = drawn && this.#shapes.get(drawn);
    this.#painted.set(id, now);
    if (!shape) return;
    const last = shape.type === "fold" ? shape.members.at(-1) : drawn;
    if (shape.type !== "cluster") {
      const entry = this.#entryOf(last);
      const rate = this.#model.rate(last, now);
      shape.paint(entry, rate, { leak: this.#leaks.has(last) });
      if (!shape.described) { shape.described = true; shape.describe(this.#sentence(drawn, now)); }
    }
    for (const edge of shape.leaving ?? []) this.#edges.paint(edge, now);
    for (const edge of shape.entering ?? []) if (edge.look === "listen" || edge.backlog) this.#edges.paint(edge, now);
  }

  #flash(id, now) {
    const node = this.#model.nodes.get(id);
    const shape = this.#shapes.get(id);
    if (shape?.type === "node" && node?.exists && this.#model.rate(id, now) <= 2) shape.flash(now);
  }

  /** Rates fall without messages. */
  #age() {
    const now = performance.now();
    for (const [id, node] of this.#model.nodes) if (node.rate && now - node.rateAt < 15_000) this.#dirty.add(id);
    for (const shape of this.#shapes.values()) {
      if (!shape.bornAt || now - shape.bornAt < 1000) continue;
      shape.bornAt = 0;
      shape.element.classList.remove("born");
    }
    this.#frame.mark();
  }

  /** True while something still fades. */
  #bury(now) {
    for (const [id, gone] of this.#dying) {
      if (now - gone.at < calm.gone) continue;
      this.#dying.delete(id);
      this.#needsLayout = true;
    }
    return this.#dying.size > 0;
  }

  #layout(now) {
    this.#needsLayout = false;
    const isLarge = this.#model.nodes.size + this.#model.listeners.size > workerFrom, { groups, settle, aside } = this.#modules;
    if (!groups && needsGroups(this.#model, this.view)) return void this.#fetch("groups");
    if (!settle && this.picture?.nodes.size) return void this.#fetch("settle");
    if (!aside && isLarge) return void this.#fetch("aside");
    this.#laidOutAt = now;
    const scene = sceneOf(this.#model, this.view, [...this.#dying.values()], groups);
    const graph = { nodes: scene.nodes.map(({ id, w, h }) => ({ id, w, h })), edges: scene.edges.map(({ id, from, to, feedback, span }) => ({ id, from, to, feedback, span })) };
    const memory = this.picture?.memory ?? null;
    const options = { node: sizes.node, columnGap: this.#direction === "down" ? 48 : 64, direction: this.#direction ?? (this.#narrow ? "down" : "right") };
    if (graph.nodes.length <= workerFrom || !aside) {
      let picture = layout(graph, memory, options, settle);
      if (!this.#direction && graph.nodes.length) {
        // Top to bottom where only that can be read as a whole.
        const flows = this.camera.fitting(picture.bounds);
        if (!this.#narrow && flows < 0.85) {
          const down = layout(graph, null, { ...options, columnGap: 48, direction: "down" });
          if (this.camera.fitting(down.bounds) > 0.85) picture = down;
        }
        this.#direction = picture.memory.direction;
      }
      return this.#place(scene, picture);
    }
    this.#direction ??= options.direction;
    this.#waiting = true;
    aside.layoutAside({ graph, memory, options }, (picture) => {
      this.#waiting = false;
      if (this.#signal.aborted) return;
      this.#place(scene, picture);
      this.#frame.mark();
    });
  }

  #place(scene, picture) {
    const isFirst = !this.#hasFitted && scene.nodes.length > 0;
    this.scene = scene;
    this.picture = picture;
    this.#edges.place(scene, picture, this.#hasFitted);
    const lost = this.#placeNodes(scene, picture);
    for (const shape of this.#shapes.values()) { shape.leaving = []; shape.entering = []; }
    for (const edge of this.#edges.values()) {
      this.#shapes.get(edge.from)?.leaving.push(edge);
      this.#shapes.get(edge.to)?.entering.push(edge);
    }
    const now = performance.now();
    for (const [id, { type, members }] of this.#shapes) if (type !== "cluster") this.#paint(type === "fold" ? members.at(-1) : id, now);
    for (const edge of this.#edges.values()) if (edge.members.some((m) => m.queued)) this.#edges.paint(edge, now);
    if (this.#lit) this.#relight();
    if (isFirst) this.fit();
    if (!this.#current || !this.#shapes.has(this.#current)) this.#rove(this.#shapes.keys().next().value ?? null);
    if (lost) this.#on.lost?.(lost);
    this.#on.scene?.(scene);
  }

  async #fetch(name) {
    this.#waiting = true;
    try {
      this.#modules[name] = await load(`/graph/${name === "aside" ? "layout-aside" : name}.js`);
      this.#needsLayout = true;
      this.#frame.mark();
    } catch { /* the next news try again */ }
    this.#waiting = false;
  }

  /** Returns what had the focus and is gone. */
  #placeNodes(scene, picture) {
    const present = new Set(scene.nodes.map((node) => node.id));
    let lost = null;
    for (const [id, shape] of this.#shapes) {
      const next = present.has(id) ? scene.nodes.find((node) => node.id === id) : null;
      if (next && next.type === shape.type && sameLook(next, shape)) continue;
      if (document.activeElement === shape.element) lost = { id, entry: shape.entry ?? { name: shape.label }, near: [...(shape.members ?? []), ...(shape.entering ?? []).map((edge) => edge.from)] };
      shape.element.remove();
      this.#shapes.delete(id);
    }
    for (const node of scene.nodes) {
      const { x, y } = picture.nodes.get(node.id);
      let shape = this.#shapes.get(node.id);
      if (!shape) {
        shape = Object.assign(new Shape(node), { entry: node.entry, members: node.members, label: node.label });
        this.#shapes.set(node.id, shape);
        shape.element.style.transform = `translate(${x}px,${y}px)`;
        if (this.#hasFitted) { shape.element.classList.add("born"); shape.bornAt = performance.now(); }
        this.nodeLayer.append(shape.element);
        if (lost?.id === node.id) { shape.element.focus({ preventScroll: true }); lost = null; }
        if (node.type === "cluster") shape.describe(this.#sentence(node.id, 0));
      } else {
        shape.entry = node.entry ?? shape.entry;
        shape.members = node.members;
        shape.element.style.transform = `translate(${x}px,${y}px)`;
      }
      shape.element.classList.toggle("gone", this.#dying.has(node.id) && !this.#model.nodes.has(node.id) && !this.#model.listeners.has(node.id));
      shape.element.classList.toggle("falls", this.#dying.has(node.id) && this.#model.nodes.has(node.id));
      shape.element.classList.toggle("selected", node.id === this.scene.of.get(this.view.selected));
    }
    return lost;
  }

  #click(event) {
    const id = event.target.closest?.(".node")?.dataset.id;
    if (!id) return this.#on.select?.(null);
    this.#activate(id);
  }

  #activate(id) {
    const shape = this.#shapes.get(id);
    if (!shape) return;
    this.#rove(id);
    if (shape.type === "cluster" || shape.type === "fold") this.#on.open?.(id, shape);
    else this.#on.select?.(id);
  }

  #rove(id) {
    if (this.#current !== id) this.#shapes.get(this.#current)?.element.setAttribute("tabindex", -1);
    this.#current = id;
    this.#shapes.get(id)?.element.setAttribute("tabindex", 0);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (step && event.shiftKey) this.camera.pan(-60 * step[0], -60 * step[1]);
    else if (step) this.#on.walk(...step);
    else if (event.key === "Enter" || event.key === " ") this.#activate(this.#current);
    else return;
    event.preventDefault();
  }
}

function sameLook(node, shape) {
  if (node.type === "cluster" || node.type === "fold") return String(node.members) === String(shape.members) && node.label === shape.label;
  return node.entry.kind === shape.entry.kind && node.entry.client === shape.entry.client && node.entry.label === shape.entry.label && node.entry.you === shape.entry.you;
}
