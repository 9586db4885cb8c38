// The picture: draws a scene and follows its values; camera.js moves it.
import { load, svg } from "/lib/dom.js";
import { Camera } from "./camera.js";
import { layout } from "./layout.js";
import { sceneOf, sizes } from "./scene.js";
import { EdgeLayer, Shape, markers, sentenceOf, titleOf, wordOf } from "./shapes.js";

/** Milliseconds between two layouts, two texts of a node; of fading; between two labels. */
const calm = { layout: 250, text: 100, gone: 900, label: 1000 };
/** More nodes are laid out by a worker. */
const workerFrom = 300;

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
  #textScale = 1;

  /**
   * `on`: `take(event, id)`, `hover(id)`, `focused(id)`, `scene()`, `moved()`, `lost(gone)`,
   * `missing()`.
   */
  constructor({ frame, model, narrow, signal, on }) {
    this.model = model;
    this.#on = on;
    this.#narrow = narrow;
    this.#signal = signal;
    this.edges = new EdgeLayer(model);
    this.element = svg("svg", { class: "picture", role: "group", "aria-label": "Picture of the graph" },
      markers(),
      this.layer = svg("g", { class: "camera" }, this.edges.element, this.nodeLayer = svg("g", { class: "nodes" })));
    this.camera = new Camera(this, () => this.#moved());
    for (const name of ["wheel", "pointerdown", "pointermove", "pointerup", "pointercancel", "click", "keydown",
      "pointerover", "pointerout", "focusin", "focusout"]) {
      this.element.addEventListener(name, (event) => this.#take(event), { signal, passive: false });
    }
    new ResizeObserver(() => { if (this.picture && !this.#hasFitted) this.#start(); }).observe(this.element);
    this.#frame = frame.item(this.element, (now) => this.#draw(now));
    frame.tick(() => this.#age(), signal);
    signal.addEventListener("abort", () => this.#frame.close(), { once: true });
  }

  #take(event) {
    const id = event.target.closest(".node")?.dataset.id ?? null, { type } = event;
    if (type === "keydown" && (event.ctrlKey || event.metaKey || event.altKey
      || !/^(Arrow\w+|Enter| )$/.test(event.key))) return;
    if (type === "keydown" || type === "wheel") event.preventDefault();
    if (id && type === "focusin") {
      this.rove(id);
      // A node that gets the keyboard focus scrolls into view; a clicked one is visible already.
      if (event.target.matches(":focus-visible")) this.#on.focused(id);
    }
    if (/over|out|focus/.test(type)) return void (id && this.#on.hover(/(over|in)$/.test(type) ? id : null));
    this.#on.take(event, id);
  }

  apply(news, now) {
    if (news.fresh) this.dying.clear();
    this.#forgetGone(now); // also where nothing is drawn
    const seen = new Set([...news.born, ...news.joined]);
    for (const gone of [...news.died, ...news.left]) {
      this.#dirty.delete(gone.id);
      if (!seen.has(gone.id)) this.dying.set(gone.id, { ...gone, at: now });
    }
    if (news.structure) this.#needsLayout = true;
    for (const ids of [news.values, news.owners, news.queues]) this.repaint(ids);
    if (!news.fresh) for (const id of news.turned) this.#flash(id, now);
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

  fit() { if (this.picture && this.element.clientWidth) this.camera.fit(); }

  #start() {
    if (!this.scene?.nodes.length || !this.element.clientWidth) return;
    this.#hasFitted = true;
    this.camera.start([...this.picture.nodes.values()]);
  }

  /** Names stay as large as they must be to be read. */
  #moved() {
    const { zoom, reading } = this.camera, scale = reading === "names" ? 11 / 13 / zoom : 1;
    if (scale !== this.#textScale) {
      this.#textScale = scale;
      this.layer.style.setProperty("--name-size", `${13 * scale}px`);
      for (const shape of this.shapes.values()) shape.fitName(scale);
    }
    this.#on.moved();
  }

  drawn(id) { return this.scene?.of.get(id); }

  focus(id) {
    const shape = this.shapes.get(id);
    shape?.element.focus({ preventScroll: true });
    return Boolean(shape);
  }

  /** Tab leads to this node; updates its description. */
  rove(id) {
    this.shapes.get(this.current)?.element.setAttribute("tabindex", -1);
    this.current = id;
    const shape = this.shapes.get(id);
    shape?.element.setAttribute("tabindex", 0);
    shape?.describe(this.#sentence(shape, performance.now()));
  }

  get isDown() { return this.#direction === "down"; }

  #draw(now) {
    this.#forgetGone(now);
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
    return sentenceOf(entry, this.model.rate(entry.id, now)) + leak
      + (type === "fold" ? `, ${members.length} steps folded; press Enter to open` : "");
  }

  #paint(shape, now) {
    shape.paintedAt = now;
    if (shape.type !== "cluster") {
      const entry = this.#entryOf(shape);
      shape.paint(entry, this.model.rate(entry.id, now), this.leaks.has(entry.id), this.model.stale.has(entry.name));
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

  #forgetGone(now) {
    for (const [id, gone] of this.dying) {
      if (now - gone.at < calm.gone) return;
      this.dying.delete(id);
      this.#needsLayout = true;
    }
  }

  #layout(now) {
    this.#needsLayout = false;
    const scene = sceneOf(this.model, this.view, [...this.dying.values()]);
    const graph = { nodes: scene.nodes.map(({ id, w, h }) => ({ id, w, h })),
      edges: scene.edges.map(({ id, from, to, feedback, span }) => ({ id, from, to, feedback, span })) };
    const before = this.picture, memory = before?.memory ?? null;
    const to = (direction) => ({ node: this.model.families.length ? sizes.family : sizes.node,
      columnGap: direction === "down" ? 48 : 64, direction });
    const options = to(this.#direction ?? (this.#narrow ? "down" : "right"));
    if (graph.nodes.length <= workerFrom) {
      let picture = layout(graph, memory, options);
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
    const place = (picture) => {
      this.#waiting = false;
      if (this.#signal.aborted) return;
      if (!picture) return this.#on.missing();
      // The layout was reset meanwhile: nothing must be remembered.
      if (memory && !before.memory) picture.memory = null;
      this.#place(scene, picture);
      this.#frame.mark();
    };
    load("/graph/layout-aside.js").then(({ layoutAside }) => layoutAside({ graph, memory, options }, place),
      () => place(null));
  }

  #place(scene, picture) {
    const isFirst = !this.#hasFitted && scene.nodes.length > 0, now = this.#laidOutAt = performance.now();
    this.scene = scene;
    this.picture = picture;
    this.edges.place(scene, picture, this.#hasFitted);
    const lost = clear(this);
    for (const node of scene.nodes) {
      let shape = this.shapes.get(node.id);
      if (!shape) {
        this.shapes.set(node.id, shape = new Shape(node));
        if (this.#hasFitted) { shape.element.classList.add("born"); shape.bornAt = now; }
        shape.fitName(this.#textScale);
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
    for (const edge of this.edges.values()) if (edge.members.some((each) =>
      this.model.queued(each))) this.edges.paint(edge, now);
    if (isFirst) this.#start();
    this.rove(this.shapes.has(this.current) ? this.current : this.shapes.keys().next().value ?? null);
    const gone = mark(this, lost);
    if (gone) this.#on.lost(gone);
    this.#on.scene();
  }
}

// From one picture to the next: what has gone fades at its old place and gives up the focus.

/**
 * Removes items that are no longer drawn, or drawn differently; returns the one that had the focus.
 */
function clear({ shapes, scene }) {
  const drawn = new Map(scene.nodes.map((node) => [node.id, node]));
  let lost = null;
  for (const [id, shape] of shapes) {
    const next = drawn.get(id);
    if (next && next.type === shape.type && looksLike(next, shape)) continue;
    if (document.activeElement === shape.element) {
      const { entry, label, members, entering } = shape;
      // What it is drawn as now, what it was made of, or what it was made from.
      lost = { id, entry: entry ?? { name: label },
        near: [id, scene.of.get(id), ...(members ?? []), ...entering.map(({ from }) => from)] };
    }
    shape.element.remove();
    shapes.delete(id);
  }
  return lost;
}

function looksLike({ type, entry, label, members }, shape) {
  if (type === "cluster" || type === "fold") return label === shape.label && String(members) === String(shape.members);
  const now = shape.entry;
  return entry.kind === now.kind && entry.you === now.you && titleOf(entry) === titleOf(now)
    && wordOf(entry) === wordOf(now);
}

/**
 * Marks items that fade or fall asleep, and moves the focus to the next one; returns the item that
 * lost it.
 */
function mark(view, lost) {
  const { shapes, dying, model } = view;
  for (const [id, { element }] of shapes) {
    const isThere = model.nodes.has(id) || model.listeners.has(id);
    element.classList.toggle("gone", dying.has(id) && !isThere);
    element.classList.toggle("falls", dying.has(id) && isThere);
  }
  if (!lost) return null;
  const next = [...lost.near, view.current].find((id) => view.focus(id));
  return next === lost.id ? null : { ...lost, next };
}
