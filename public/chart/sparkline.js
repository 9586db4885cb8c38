// The last minutes of a number in a few pixels: a line, and a point where it is now.
import { h } from "/lib/dom.js";

export class Sparkline {
  #ring; #span; #item; #canvas; #columns = new Float64Array(0); #now;

  constructor({ ring, span = 300_000, page, now, signal }) {
    this.#ring = ring;
    this.#span = span;
    this.#now = now;
    this.#canvas = h("canvas", { "aria-hidden": "true" });
    this.element = h("div", { class: "spark" }, this.#canvas);
    this.#item = page.frame.item(this.#canvas, () => this.#draw());
    page.frame.tick(() => this.#item.mark(), signal);
    page.store.listen("theme", () => this.#item.mark(), signal);
  }

  mark() { this.#item.mark(); }
  close() { this.#item.close(); }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.element, ratio = devicePixelRatio || 1;
    if (width < 16 || height < 8) return;
    if (this.#canvas.width !== Math.round(width * ratio) || this.#canvas.height !== Math.round(height * ratio)) {
      this.#canvas.width = Math.round(width * ratio);
      this.#canvas.height = Math.round(height * ratio);
      this.#columns = new Float64Array(4 * width + 8);
    }
    const pen = this.#canvas.getContext("2d"), to = this.#now(), from = to - this.#span, colour = getComputedStyle(this.#canvas).color;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const extent = this.#ring.extent(from, to), count = this.#ring.columns(from, to, width - 4, this.#columns);
    if (!extent || !count) return;
    const size = extent[1] - extent[0], y = (v) => (size ? height - 3 - (v - extent[0]) / size * (height - 6) : height / 2);
    let held = NaN;
    pen.beginPath();
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 1.5;
    for (let i = 0; i < count; i++) {
      const [x, low, high, last] = this.#columns.subarray(4 * i, 4 * i + 4);
      if (held === held) pen.lineTo(x, y(held)); else pen.moveTo(x, y(low));
      if (last === last) { pen.lineTo(x, y(low)); pen.lineTo(x, y(high)); pen.lineTo(x, y(last)); }
      held = last;
    }
    if (held === held) pen.lineTo(width - 4, y(held));
    pen.stroke();
    if (held !== held) return;
    pen.beginPath();
    pen.arc(width - 3, y(held), 2.5, 0, 7);
    pen.fill();
  }
}
