// The last two minutes of a number, drawn into a canvas from two ring buffers of fixed size.

const capacity = 120;

export class Sparkline {
  element = document.createElement("canvas");
  #times = new Float64Array(capacity); #values = new Float64Array(capacity); #count = 0;

  constructor() { this.element.setAttribute("aria-hidden", "true"); }

  add(time, value) {
    const place = this.#count++ % capacity;
    this.#times[place] = time;
    this.#values[place] = value;
  }

  draw() {
    const canvas = this.element;
    const points = Math.min(this.#count, capacity);
    canvas.hidden = points < 2;
    if (canvas.hidden || !canvas.clientWidth) return;
    const ratio = devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });

    let low = Infinity, high = -Infinity;
    for (let i = 0; i < points; i++) {
      low = Math.min(low, this.#values[i]);
      high = Math.max(high, this.#values[i]);
    }
    const first = this.#count - points;
    const from = this.#times[first % capacity], to = this.#times[(this.#count - 1) % capacity];
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, width, height);
    pen.beginPath();
    for (let i = first; i < this.#count; i++) {
      const x = ((this.#times[i % capacity] - from) / (to - from || 1)) * width;
      const y = height - 2 * ratio - ((this.#values[i % capacity] - low) / (high - low || 1)) * (height - 4 * ratio);
      i === first ? pen.moveTo(x, y) : pen.lineTo(x, y);
    }
    pen.strokeStyle = getComputedStyle(canvas).getPropertyValue("--accent");
    pen.lineWidth = 1.5 * ratio;
    pen.stroke();
  }
}
