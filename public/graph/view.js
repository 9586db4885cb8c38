// The picture: draws a scene and follows its values; camera.js moves it.
import { load, setAttribute, svg } from "/lib/dom.js";
import { Camera } from "./camera.js";
import { sceneOf, sizes } from "./scene.js";
import { wordOf } from "/lib/words.js";
import { EdgeLayer, Shape, countWords, markers, sentenceOf, titleOf } from "./shapes.js";

/** Milliseconds between two layouts, two texts of a node; of fading; between two labels. */
const calm = { layout: 250, text: 100, gone: 900, label: 1000 };
/** Between clients, and between them and the nodes. */
const gaps = { across: 10, along: 64, columns: 24 };

export class GraphView {
  /** What of the graph is drawn; change it with `show()`. */
  view = { asleep: true, details: false, focus: null, selected: null, open: new Set() };
  scene = null;
  picture = null;
  shapes = new Map();
  edges;
  /** What `clients.js` draws, once there are clients. */
  lines = null;
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
  /** The places of clients, which stand beside the nodes; how many there are in a row or column. */
  #slots = new Map();
  #perLine = 0;
  /** What was laid out last. */
  #shape = "";
  /** The module that makes groups, loaded with the first graph that is large. */
  #groups = null;

  /**
   * `on`: `take(event, id)`, `hover(id)`, `focused(id)`, `scene()`, `moved()`, `lost(gone)`,
   * `lines()`, `missing()`.
   */
  constructor({ frame, model, narrow, signal, on }) {
    this.model = model;
    this.#on = on;
    this.#narrow = narrow;
    this.#signal = signal;
    this.edges = new EdgeLayer(model);
    this.element = svg("svg", { class: "picture", role: "group", "aria-label": "Picture of the graph" },
      markers(),
      this.layer = svg("g", { class: "camera" }, this.edges.element,
        this.clientsLabel = svg("text", { class: "clients-label" }, ""), this.nodeLayer = svg("g", { class: "nodes" })));
    this.camera = new Camera(this, () => this.#moved());
    startWorker(); // it starts while the graph is asked for
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
    this.#slots.clear();
    this.#perLine = 0;
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
    const { textScale: scale } = this.camera;
    if (scale !== this.#textScale) {
      this.#textScale = scale;
      this.layer.style.setProperty("--text-size", `${13 * scale}px`);
      for (const shape of this.shapes.values()) shape.scaleText(scale);
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
    let isClient = false;
    for (const id of this.#dirty) {
      const shape = this.shapes.get(this.drawn(id));
      isClient ||= shape?.isClient;
      if (shape && now < shape.paintedAt + calm.text) { more = true; continue; }
      this.#dirty.delete(id);
      if (shape) this.#paint(shape, now);
    }
    if (isClient) this.#on.lines();
    if (now - this.#labelledAt > calm.label) {
      this.#labelledAt = now;
      const current = this.shapes.get(this.current);
      current?.describe(this.#sentence(current, now));
    }
    return more;
  }

  #entryOf({ id, entry }) { return this.model.nodes.get(id) ?? this.model.listeners.get(id) ?? entry; }

  /** How a node is, besides its value. */
  #stateOf({ id, name }, now) {
    const { model } = this;
    return { rate: model.rate(id, now), isLeak: this.leaks.has(id), isStale: model.stale.has(name),
      clients: countWords(model, id, " · ") };
  }

  #sentence(shape, now) {
    const { type, members } = shape, entry = this.#entryOf(shape);
    if (type === "cluster") return `${shape.label}, group of ${members.length}; press Enter to open`;
    const leak = this.leaks.has(entry.id) ? ", leak: a ring that nobody owns" : "";
    return sentenceOf(entry, this.#stateOf(entry, now)) + leak;
  }

  #paint(shape, now) {
    shape.paintedAt = now;
    if (shape.type !== "cluster") {
      const entry = this.#entryOf(shape);
      shape.paint(entry, this.#stateOf(entry, now));
    }
    for (const edge of shape.leaving) this.edges.paint(edge, now);
    for (const edge of shape.entering) if (edge.backlog) this.edges.paint(edge, now);
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
    this.#waiting = true;
    const scene = sceneOf(this.model, this.view, [...this.dying.values()], this.#groups), { w, h } = this.camera.room;
    if (!scene) return void load("/graph/groups.js").then((module) => {
      this.#groups = module;
      this.#needsLayout = true;
    }, () => this.#on.missing()).then(() => { this.#waiting = false; this.#frame.mark(); });
    const graph = { nodes: scene.nodes.filter(({ isClient }) => !isClient).map(({ id, w, h }) => ({ id, w, h })),
      edges: scene.edges.map(({ id, from, to, feedback, span }) => ({ id, from, to, feedback, span })) };
    const before = this.picture, memory = before?.memory ?? null;
    const shape = JSON.stringify([graph, scene.nodes.map(({ id }) => id)]);
    if (memory && shape === this.#shape) {
      this.#waiting = false;
      return this.#place(scene, before);
    }
    this.#shape = shape;
    const options = { node: this.model.families.length ? sizes.family : sizes.node, room: { w, h },
      direction: this.#direction ?? (this.#narrow ? "down" : null) };
    layoutAside({ graph, memory, options }, (picture) => {
      this.#waiting = false;
      if (this.#signal.aborted) return;
      if (!picture) return this.#on.missing();
      if (this.element.clientWidth) this.#direction = picture.memory.direction;
      this.#placeClients(scene, picture);
      // The layout was reset meanwhile: nothing must be remembered.
      if (memory && !before.memory) picture.memory = null;
      this.#place(scene, picture);
      this.#frame.mark();
    });
  }

  /** Clients stand beside the nodes, each where it stood, so that they move nothing. */
  #placeClients({ nodes }, { nodes: boxes, bounds, memory: { direction } }) {
    const clients = nodes.filter(({ isClient }) => isClient), present = new Set(clients.map(({ id }) => id));
    for (const id of this.#slots.keys()) if (!present.has(id)) this.#slots.delete(id);
    this.clientsLabel.textContent = clients.length ? "Clients" : "";
    if (!clients.length) return;
    const down = direction === "down", [w, h] = sizes.listener, used = new Set(this.#slots.values());
    const pitch = down ? [h + gaps.across, w + gaps.columns] : [w + gaps.columns, h + gaps.across];
    this.#perLine ||= Math.max(down ? 2 : 10, Math.floor((down ? bounds.w : bounds.h) / pitch[1]));
    const start = { x: down ? bounds.x : bounds.x + bounds.w + gaps.along,
      y: down ? bounds.y + bounds.h + gaps.along : bounds.y };
    setAttribute(this.clientsLabel, "x", start.x);
    setAttribute(this.clientsLabel, "y", start.y + 12);
    let free = 0;
    for (const { id } of clients) {
      if (!this.#slots.has(id)) {
        while (used.has(free)) free++;
        used.add(free);
        this.#slots.set(id, free);
      }
      const slot = this.#slots.get(id), along = Math.floor(slot / this.#perLine) * pitch[0],
        across = (slot % this.#perLine) * pitch[1];
      const box = { x: start.x + (down ? across : along), y: start.y + 24 + (down ? along : across), w, h,
        layer: 1e6 + along };
      boxes.set(id, box);
      bounds.w = Math.max(bounds.w, box.x + w - bounds.x);
      bounds.h = Math.max(bounds.h, box.y + h - bounds.y);
    }
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
        shape.scaleText(this.#textScale);
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
  if (type === "cluster") return label === shape.label && String(members) === String(shape.members);
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

// The layout is done by a worker, one for the page.
let worker = null, requests = 0;
const awaited = new Map();

function startWorker() {
  if (worker) return;
  worker = new Worker("/graph/layout.js", { type: "module" });
  worker.onmessage = ({ data: { id, picture } }) => {
    awaited.get(id)?.(picture);
    awaited.delete(id);
  };
  // Its modules could not be had: the next picture asks for another.
  worker.onerror = () => {
    worker = null;
    const dones = [...awaited.values()];
    awaited.clear();
    for (const each of dones) each(null);
  };
}

/** Lays `{graph, memory, options}` out, and calls `done(picture)`; without one where it cannot. */
function layoutAside(message, done) {
  startWorker();
  awaited.set(++requests, done);
  worker.postMessage({ id: requests, ...message });
}
