// Moving and zooming a picture.
import { load } from "/lib/dom.js";

/** Text is 13 px at zoom 1; zooming out ends where it is 11. */
const least = 11 / 13, most = 2.5;

const clampZoom = (zoom) => Math.min(most, Math.max(least, zoom));

export class Camera {
  x = 0;
  y = 0;
  zoom = 1;
  #svg; #layer; #changed; #bounds;
  #hands = null;
  /** Whether the pointer that is down has moved the picture. */
  dragged = false;

  /** Moves `layer` within `svg`; there is something within `bounds()`. */
  constructor(svg, layer, bounds, changed, signal) {
    this.#svg = svg;
    this.#layer = layer;
    this.#bounds = bounds;
    this.#changed = changed;
    const on = (name, body, options = {}) => svg.addEventListener(name, body, { signal, ...options });
    for (const name of ["wheel", "pointerdown", "pointermove", "pointerup", "pointercancel"]) on(name, (event) => this.#take(event), { passive: false });
    // A drag is no click.
    on("click", (event) => { if (this.dragged) event.stopPropagation(); this.dragged = false; }, { capture: true });
  }

  get size() { return { w: this.#svg.clientWidth || 1, h: this.#svg.clientHeight || 1 }; }

  /** The zoom at which everything would be on screen. */
  fitting(bounds = this.#bounds(), margin = 32) {
    const { w, h } = this.size;
    return Math.min((w - 2 * margin) / Math.max(bounds.w, 1), (h - 2 * margin) / Math.max(bounds.h, 1));
  }

  /** Everything on screen, or what can be read: from the beginning, or where most of `boxes` are if few stand there. */
  fit(boxes) {
    const bounds = this.#bounds(), margin = 32;
    this.zoom = Math.min(clampZoom(this.fitting(bounds, margin)), 1);
    const { w, h } = this.visible(), edge = margin / this.zoom;
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
    this.x = -best[0] * this.zoom;
    this.y = -best[1] * this.zoom;
    this.apply();
  }

  /** Brings a box on screen by the shortest way. */
  show(box, margin = 40) {
    const { w, h } = this.size;
    const near = (at, size, start, length) => {
      const low = start * this.zoom + at, high = low + length * this.zoom;
      if (high - low > size - 2 * margin || low < margin) return at + margin - low;
      return high > size - margin ? at + size - margin - high : at;
    };
    const x = near(this.x, w, box.x, box.w), y = near(this.y, h, box.y, box.h);
    if (x === this.x && y === this.y) return;
    [this.x, this.y] = [x, y];
    this.apply(true);
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.apply();
  }

  zoomBy(factor, px = this.size.w / 2, py = this.size.h / 2) {
    const zoom = clampZoom(this.zoom * factor);
    const change = zoom / this.zoom;
    this.x = px - (px - this.x) * change;
    this.y = py - (py - this.y) * change;
    this.zoom = zoom;
    this.apply();
  }

  visible() {
    const { w, h } = this.size;
    return { x: -this.x / this.zoom, y: -this.y / this.zoom, w: w / this.zoom, h: h / this.zoom };
  }

  apply(glide = false) {
    // Something always stays on screen.
    const { w, h } = this.size, b = this.#bounds(), keep = 60;
    this.x = Math.min(w - keep - b.x * this.zoom, Math.max(keep - (b.x + b.w) * this.zoom, this.x));
    this.y = Math.min(h - keep - b.y * this.zoom, Math.max(keep - (b.y + b.h) * this.zoom, this.y));
    this.#layer.classList.toggle("gliding", glide);
    this.#layer.style.transform = `translate(${this.x}px,${this.y}px) scale(${this.zoom})`;
    this.#changed();
  }

  /** Gestures act in their order, also those that come while `hands.js` is fetched. */
  #take(event) {
    if (event.type === "wheel") event.preventDefault();
    this.#hands ??= load("/graph/hands.js").then(({ Hands }) => new Hands(this, this.#svg), () => void (this.#hands = null));
    this.#hands.then((hands) => hands?.take(event));
  }
}
