// The position of the picture, and how people move it: by pointer, wheel and pinch, by keys and
// buttons.

/**
 * Text is 13 px at zoom 1 and never smaller than 11 px: below that zoom it grows. Below `readable`
 * there is room for names only, below `named` for none.
 */
const least = 11 / 13, readable = 0.64, named = 0.3, most = 2.5;
/** Around what fits, and below it besides. */
const margin = 32, buttons = 32;

export class Camera {
  x = 0;
  y = 0;
  zoom = 1;
  /** Whether it shows everything since `fit()`. */
  isFitted = false;
  #view; #changed;

  constructor(view, changed) {
    this.#view = view;
    this.#changed = changed;
  }

  get #bounds() { return this.#view.picture?.bounds ?? { x: 0, y: 0, w: 0, h: 0 }; }

  get size() { return { w: this.#view.element.clientWidth || 1, h: this.#view.element.clientHeight || 1 }; }

  /** What the picture may take without being under the buttons. */
  get room() {
    const { w, h } = this.size;
    return { w: w - 2 * margin, h: h - 2 * margin - buttons };
  }

  fitting() {
    const { w, h } = this.room;
    return Math.min(w / Math.max(this.#bounds.w, 1), h / Math.max(this.#bounds.h, 1));
  }

  /** Zooming out ends where text can just be read, or where everything is on screen. */
  clamp(zoom) { return Math.min(most, Math.max(Math.min(readable, this.fitting()), zoom)); }

  /** How much can be read at this zoom: all, names or nothing. */
  get reading() { return this.zoom >= readable - 0.001 ? "all" : this.zoom >= named ? "names" : "nothing"; }

  /** How many times as large as at zoom 1 letters are drawn. */
  get textScale() { return this.reading === "nothing" ? 1 : Math.max(1, least / this.zoom); }

  /** All of the picture on screen, however small. */
  fit() {
    const { x, y, w, h } = this.#bounds, zoom = Math.min(1, this.fitting()), size = this.size;
    this.move((size.w - w * zoom) / 2 - x * zoom, (size.h - buttons - h * zoom) / 2 - y * zoom, { zoom });
    this.isFitted = true;
  }

  /**
   * The first view: everything, or where names could not be read the place where most of `boxes`
   * are.
   */
  start(boxes) {
    if (this.fitting() >= named) return this.fit();
    const bounds = this.#bounds;
    this.zoom = readable;
    const { w, h: whole } = this.visible(), h = whole - buttons / this.zoom, edge = margin / this.zoom;
    const from = (start, length, room, wish) => (length + 2 * edge <= room ? start - (room - length) / 2 : wish - edge);
    const corner = (box) => [from(bounds.x, bounds.w, w, box.x), from(bounds.y, bounds.h, h, box.y)];
    const count = ([x, y]) => {
      let inside = 0;
      for (const box of boxes) if (box.x >= x && box.y >= y && box.x + box.w <= x + w && box.y + box.h <= y
        + h) inside++;
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
    this.isFitted = false;
    this.x = Math.min(w - keep - b.x * zoom, Math.max(keep - (b.x + b.w) * zoom, x));
    this.y = Math.min(h - keep - b.y * zoom, Math.max(keep - (b.y + b.h) * zoom, y));
    layer.classList.toggle("gliding", glide);
    layer.dataset.reading = this.reading;
    layer.style.transform = `translate(${this.x}px,${this.y}px) scale(${zoom})`;
    this.#changed();
  }
}

/** What pointers, wheels and keys do to the picture. */
export class Navigation {
  #view; #walk; #pointers = new Map();
  /** Whether the pointer that is down has moved the picture. */
  #dragged = false;

  /** `walk(dx, dy)` goes to a neighbour. */
  constructor(view, walk) {
    this.#view = view;
    this.#walk = walk;
  }

  /**
   * Follows an event at a node, or at `null` beside all nodes; returns which of them it chooses, if
   * it does.
   */
  take(event, id) {
    switch (event.type) {
    case "wheel": return void this.#wheel(event);
    case "pointerdown": return void this.#down(event);
    case "pointermove": return void this.#move(event);
    case "click": return this.#click(event, id);
    case "keydown": return this.#key(event);
    default: this.#pointers.delete(event.pointerId);
    }
  }

  pan(dx, dy) {
    const { camera } = this.#view;
    camera.move(camera.x + dx, camera.y + dy);
  }

  /** About a place on screen, the middle unless said otherwise. */
  zoom(factor, px = this.#view.camera.size.w / 2, py = this.#view.camera.size.h / 2) {
    const { camera } = this.#view, zoom = camera.clamp(camera.zoom * factor), change = zoom / camera.zoom;
    camera.move(px - (px - camera.x) * change, py - (py - camera.y) * change, { zoom });
  }

  /** Brings a box on screen by the shortest way. */
  show(box, margin = 40) {
    const { camera } = this.#view, { w, h } = camera.size;
    const near = (at, size, start, length) => {
      const low = start * camera.zoom + at, high = low + length * camera.zoom;
      if (high - low > size - 2 * margin || low < margin) return at + margin - low;
      return high > size - margin ? at + size - margin - high : at;
    };
    const x = near(camera.x, w, box.x, box.w), y = near(camera.y, h, box.y, box.h);
    if (x !== camera.x || y !== camera.y) camera.move(x, y, { glide: true });
  }

  #at(event) {
    const box = this.#view.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #wheel(event) {
    if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(-event.deltaY / 200), ...this.#at(event));
    else if (event.shiftKey && !event.deltaX) this.pan(-event.deltaY, 0);
    else this.pan(-event.deltaX, -event.deltaY);
  }

  #down(event) {
    if (event.button) return;
    this.#dragged = false;
    this.#pointers.set(event.pointerId, { at: this.#at(event), start: this.#at(event) });
  }

  #move(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    if (event.pointerType === "mouse" && !event.buttons) return void this.#pointers.delete(event.pointerId);
    const [x, y] = this.#at(event);
    if (Math.hypot(x - pointer.start[0], y - pointer.start[1]) > 4 && !this.#dragged) {
      this.#dragged = true;
      // A pointer that was released while this module was loading cannot be captured.
      try { this.#view.element.setPointerCapture(event.pointerId); } catch { /* it is over */ }
    }
    const other = [...this.#pointers.entries()].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const before = Math.hypot(pointer.at[0] - other.at[0], pointer.at[1] - other.at[1]);
      const after = Math.hypot(x - other.at[0], y - other.at[1]);
      if (before > 0) this.zoom(after / before, (x + other.at[0]) / 2, (y + other.at[1]) / 2);
      this.pan((x - pointer.at[0]) / 2, (y - pointer.at[1]) / 2);
    } else if (this.#dragged) {
      this.pan(x - pointer.at[0], y - pointer.at[1]);
    }
    pointer.at = [x, y];
  }

  /** A drag is no click; a click that no pointer made ends no drag. */
  #click({ detail }, id) {
    const isDrag = this.#dragged && detail > 0;
    this.#dragged = false;
    return isDrag ? undefined : id;
  }

  #key({ key, shiftKey }) {
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
    if (!step) return this.#view.current ?? undefined;
    if (shiftKey) this.pan(-60 * step[0], -60 * step[1]);
    else this.#walk(...step);
  }
}
