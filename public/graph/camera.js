// Where the picture stands on screen, and how large; hands.js moves it.

/** Text is 13 px at zoom 1; zooming out ends where it is 11. */
const least = 11 / 13, most = 2.5;
/** Around what fits, and below it besides. */
const margin = 32, buttons = 32;

export class Camera {
  x = 0;
  y = 0;
  zoom = 1;
  #svg; #layer; #changed; #bounds;

  /** Moves `layer` within `svg`; there is something within `bounds()`. */
  constructor(svg, layer, bounds, changed) {
    this.#svg = svg;
    this.#layer = layer;
    this.#bounds = bounds;
    this.#changed = changed;
  }

  get size() { return { w: this.#svg.clientWidth || 1, h: this.#svg.clientHeight || 1 }; }

  /** The zoom at which everything would be on screen, and free of the buttons below. */
  fitting(bounds = this.#bounds()) {
    const { w, h } = this.size;
    return Math.min((w - 2 * margin) / Math.max(bounds.w, 1), (h - 2 * margin - buttons) / Math.max(bounds.h, 1));
  }

  clamp(zoom) { return Math.min(most, Math.max(least, zoom)); }

  /** Everything on screen, or what can be read: from the beginning, or where most of `boxes` are if few stand there. */
  fit(boxes) {
    const bounds = this.#bounds();
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

  /** What is on screen, in the picture's own units. */
  visible() {
    const { w, h } = this.size;
    return { x: -this.x / this.zoom, y: -this.y / this.zoom, w: w / this.zoom, h: h / this.zoom };
  }

  /** Puts the picture's origin at a place on screen, as near as something of it stays there. */
  move(x, y, { zoom = this.zoom, glide = false } = {}) {
    const { w, h } = this.size, b = this.#bounds(), keep = 60;
    this.zoom = zoom;
    this.x = Math.min(w - keep - b.x * zoom, Math.max(keep - (b.x + b.w) * zoom, x));
    this.y = Math.min(h - keep - b.y * zoom, Math.max(keep - (b.y + b.h) * zoom, y));
    this.#layer.classList.toggle("gliding", glide);
    this.#layer.style.transform = `translate(${this.x}px,${this.y}px) scale(${zoom})`;
    this.#changed();
  }
}
