// The picture: draws a scene and follows its values; hands.js moves it.
import { load, style, svg } from "/lib/dom.js";
import { layout } from "./layout.js";
import { needsGroups, sceneOf, sizes } from "./model.js";
import { EdgeLayer, Shape, markers, sentenceOf } from "./shapes.js";

/** Milliseconds between two layouts, two texts of a node; of fading; between two labels. */
const calm = { layout: 250, text: 100, gone: 900, label: 1000 };
/** More nodes are laid out by a worker. */
const workerFrom = 300;

/** Text is 13 px at zoom 1; zooming out ends where it is 11. */
const least = 11 / 13, most = 2.5;
/** Around what fits, and below it besides. */
const margin = 32, buttons = 32;

class Camera {
  x = 0;
  y = 0;
  zoom = 1;
  #view; #changed;

  constructor(view, changed) {
    this.#view = view;
    this.#changed = changed;
  }

  get #bounds() { return this.#view.picture?.bounds ?? { x: 0, y: 0, w: 0, h: 0 }; }

  get size() { return { w: this.#view.element.clientWidth || 1, h: this.#view.element.clientHeight || 1 }; }

  fitting(bounds = this.#bounds) {
    const { w, h } = this.size;
    return Math.min((w - 2 * margin) / Math.max(bounds.w, 1), (h - 2 * margin - buttons) / Math.max(bounds.h, 1));
  }

  clamp(zoom) { return Math.min(most, Math.max(least, zoom)); }

  /** Everything on screen, or what can be read: from the beginning, or where most of `boxes` are if few stand there. */
  fit(boxes) {
    const bounds = this.#bounds;
    this.zoom = Math.min(1, this.clamp(this.fitting()));
    const { w, h: whole } = this.visible(), h = whole - buttons / this.zoom, edge = margin / this.zoom;
    const from = (start, length, room, wish) => (length + 2 * edge <= room ? start - (room - length) / 2 : wish - edge);
    const corner = (box) => [from(bounds.x, bounds.w, w, box.x), from(bounds.y, bounds.h, h, box.y)];
    const count = ([x, y]) => {
      let inside = 0;
      for (const box of boxes) if (box.x >= x && box.y >= y && box.x + box.w <= x + w && box.y + box.h <= y + h) inside++;
      return inside;
    };
    let best = corner(bounds), most = 2 * count(best);
    for (const box of boxes) {
      const other = corner(box), there = count(other);
      if (there > most) [best, most] = [other, there];
    }
    this.move(-best[0] * this.zoom, -best[1] * this.zoom);
  }

  visible() {
    const { w, h } = this.size;
    return { x: -this.x / this.zoom, y: -this.y / this.zoom, w: w / this.zoom, h: h / this.zoom };
  }

  move(x, y, { zoom = this.zoom, glide = false } = {}) {
    const { w, h } = this.size, b = this.#bounds, keep = 60, { layer } = this.#view;
    this.zoom = zoom;
    this.x = Math.min(w - keep - b.x * zoom, Math.max(keep - (b.x + b.w) * zoom, x));
    this.y = Math.min(h - keep - b.y * zoom, Math.max(keep - (b.y + b.h) * zoom, y));
    layer.classList.toggle("gliding", glide);
    layer.style.transform = `translate(${this.x}px,${this.y}px) scale(${zoom})`;
    this.#changed();
  }
}

export class GraphView {
  /** What of the graph is drawn; change it with `show()`. */
  view = { asleep: true, steps: "auto", focus: null, selected: null, open: new Set() };
  scene = null;
  picture = null;
  shapes = new Map();
  edges;
  dying = new Map();
  current = null;
  leaks = new Set();
  model;

  #on; #frame; #direction; #narrow; #signal;
  #dirty = new Set();
  #needsLayout = true;
  #laidOutAt = -Infinity;
  #waiting = false;
  #hasFitted = false;
  #labelledAt = 0;
  #modules = {};

  /** `on`: `take(event, id)`, `hover(id)`, `scene()`, `moved()`, `lost(gone)`, `missing()`. */
  constructor({ frame, model, narrow, signal, on }) {
    this.model = model;
    this.#on = on;
    this.#narrow = narrow;
    this.#signal = signal;
    this.edges = new EdgeLayer(model);
    this.element = svg("svg", { class: "picture", role: "group", "aria-label": "Picture of the graph" },
      markers(),
      this.layer = svg("g", { class: "camera" }, this.edges.element, this.nodeLayer = svg("g", { class: "nodes" })));
    this.camera = new Camera(this, on.moved);
    for (const name of ["wheel", "pointerdown", "pointermove", "pointerup", "pointercancel", "click", "keydown", "pointerover", "pointerout", "focusin", "focusout"]) {
      this.element.addEventListener(name, (event) => this.#take(event), { signal, passive: false });
    }
    new ResizeObserver(() => { if (this.picture && !this.#hasFitted) this.fit(); }).observe(this.element);
    this.#frame = frame.item(this.element, (now) => this.#draw(now));
    frame.tick(() => this.#age(), signal);
    signal.addEventListener("abort", () => this.#frame.close(), { once: true });
  }

  #take(event) {
    const id = event.target.closest(".node")?.dataset.id ?? null, { type } = event;
    if (type === "keydown" && (event.ctrlKey || event.metaKey || event.altKey || !/^(Arrow\w+|Enter| )$/.test(event.key))) return;
    if (type === "keydown" || type === "wheel") event.preventDefault();
    if (id && type === "focusin") this.rove(id);
    if (/over|out|focus/.test(type)) return void (id && this.#on.hover(/(over|in)$/.test(type) ? id : null));
    this.#on.take(event, id);
  }

  apply(news, now) {
    if (news.fresh) this.dying.clear();
    this.#bury(now); // also where nothing is drawn
    const seen = new Set([...news.born, ...news.joined]);
    for (const gone of [...news.died, ...news.left]) {
      this.#dirty.delete(gone.id);
      if (!seen.has(gone.id)) this.dying.set(gone.id, { ...gone, at: now });
    }
    if (news.structure) this.#needsLayout = true;
    for (const ids of [news.values, news.owners, news.queues]) this.repaint(ids);
    if (!news.fresh) for (const id of news.values) this.#flash(id, now);
  }

  repaint(ids) {
    for (const id of ids) this.#dirty.add(id);
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

  drawn(id) { return this.scene?.of.get(id); }

  focus(id) {
    const shape = this.shapes.get(id);
    shape?.element.focus({ preventScroll: true });
    return Boolean(shape);
  }

  /** Tab leads to this node; what it says of itself is true now. */
  rove(id) {
    this.shapes.get(this.current)?.element.setAttribute("tabindex", -1);
    this.current = id;
    const shape = this.shapes.get(id);
    shape?.element.setAttribute("tabindex", 0);
    shape?.describe(this.#sentence(shape, performance.now()));
  }

  get isDown() { return this.#direction === "down"; }

  #draw(now) {
    this.#bury(now);
    let more = this.dying.size > 0;
    if (this.#needsLayout && !this.#waiting) {
      if (now - this.#laidOutAt >= calm.layout) this.#layout(now);
      else more = true;
    }
    for (const id of this.#dirty) {
      const shape = this.shapes.get(this.drawn(id));
      if (shape && now < shape.paintedAt + calm.text) { more = true; continue; }
      this.#dirty.delete(id);
      if (shape) this.#paint(shape, now);
    }
    if (now - this.#labelledAt > calm.label) {
      this.#labelledAt = now;
      const current = this.shapes.get(this.current);
      current?.describe(this.#sentence(current, now));
    }
    return more;
  }

  #entryOf({ id, type, members, entry }) {
    const last = type === "fold" ? members.at(-1) : id;
    return this.model.nodes.get(last) ?? this.model.listeners.get(last) ?? entry;
  }

  #sentence(shape, now) {
    const { type, members } = shape, entry = this.#entryOf(shape);
    if (type === "cluster") return `${shape.label}, ${members.length} nodes, folded; press Enter to open`;
    const leak = this.leaks.has(entry.id) ? ", leak: a ring that nobody owns" : "";
    return sentenceOf(entry, this.model.rate(entry.id, now)) + leak + (type === "fold" ? `, ${members.length} steps folded; press Enter to open` : "");
  }

  #paint(shape, now) {
    shape.paintedAt = now;
    if (shape.type !== "cluster") {
      const entry = this.#entryOf(shape);
      shape.paint(entry, this.model.rate(entry.id, now), this.leaks.has(entry.id));
    }
    for (const edge of shape.leaving) this.edges.paint(edge, now);
    for (const edge of shape.entering) if (edge.look === "listen" || edge.backlog) this.edges.paint(edge, now);
  }

  #flash(id, now) {
    const shape = this.shapes.get(id);
    if (shape?.type === "node" && this.model.nodes.get(id)?.exists && this.model.rate(id, now) <= 2) shape.flash(now);
  }

  /** Rates fall without messages. */
  #age() {
    const now = performance.now();
    for (const [id, node] of this.model.nodes) if (node.rate && now - node.rateAt < 15_000) this.#dirty.add(id);
    for (const { element, bornAt } of this.shapes.values()) if (now - bornAt > 1000) element.classList.remove("born");
    this.#frame.mark();
  }

  #bury(now) {
    for (const [id, gone] of this.dying) {
      if (now - gone.at < calm.gone) return;
      this.dying.delete(id);
      this.#needsLayout = true;
    }
  }

  #layout(now) {
    this.#needsLayout = false;
    const isLarge = this.model.nodes.size + this.model.listeners.size > workerFrom, { groups, changes, "layout-aside": aside } = this.#modules;
    if (!groups && needsGroups(this.model, this.view)) return void this.#fetch("groups");
    if (!changes && this.picture?.nodes.size) return void this.#fetch("changes");
    if (!aside && isLarge) return void this.#fetch("layout-aside");
    const scene = sceneOf(this.model, this.view, [...this.dying.values()], groups);
    const graph = { nodes: scene.nodes.map(({ id, w, h }) => ({ id, w, h })), edges: scene.edges.map(({ id, from, to, feedback, span }) => ({ id, from, to, feedback, span })) };
    const before = this.picture, memory = before?.memory ?? null;
    const to = (direction) => ({ node: this.model.families.length ? sizes.family : sizes.node, columnGap: direction === "down" ? 48 : 64, direction });
    const options = to(this.#direction ?? (this.#narrow ? "down" : "right"));
    if (graph.nodes.length <= workerFrom || !aside) {
      let picture = layout(graph, memory, options, changes);
      if (!this.#direction && graph.nodes.length && this.element.clientWidth) {
        const flows = this.camera.fitting(picture.bounds);
        if (!this.#narrow && flows < 0.85) {
          const down = layout(graph, null, to("down"));
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
      if (!picture) return this.#on.missing();
      // Somebody has tidied meanwhile: nothing is to be remembered.
      if (memory && !before.memory) picture.memory = null;
      this.#place(scene, picture);
      this.#frame.mark();
    });
  }

  #place(scene, picture) {
    const isFirst = !this.#hasFitted && scene.nodes.length > 0, { changes } = this.#modules, now = this.#laidOutAt = performance.now();
    this.scene = scene;
    this.picture = picture;
    this.edges.place(scene, picture, this.#hasFitted);
    const lost = changes?.clear(this);
    for (const node of scene.nodes) {
      let shape = this.shapes.get(node.id);
      if (!shape) {
        this.shapes.set(node.id, shape = new Shape(node));
        if (this.#hasFitted) { shape.element.classList.add("born"); shape.bornAt = now; }
        this.nodeLayer.append(shape.element);
      }
      shape.follow(node, picture.nodes.get(node.id), node.id === this.drawn(this.view.selected));
    }
    for (const edge of this.edges.values()) {
      this.shapes.get(edge.from)?.leaving.push(edge);
      this.shapes.get(edge.to)?.entering.push(edge);
    }
    for (const shape of this.shapes.values()) {
      this.#paint(shape, now);
      if (!shape.described) shape.describe(this.#sentence(shape, now));
    }
    for (const edge of this.edges.values()) if (edge.members.some((each) => this.model.queued(each))) this.edges.paint(edge, now);
    if (isFirst) this.fit();
    this.rove(this.shapes.has(this.current) ? this.current : this.shapes.keys().next().value ?? null);
    const gone = changes?.mark(this, lost);
    if (gone) this.#on.lost(gone);
    this.#on.scene();
  }

  async #fetch(name) {
    this.#waiting = true;
    try {
      const asked = load(`/graph/${name}.js`);
      if (name === "changes") await style("/graph/panels.css");
      this.#modules[name] = await asked;
      this.#needsLayout = true;
      this.#frame.mark();
    } catch { this.#on.missing(); } // the next news try again
    this.#waiting = false;
  }
}
