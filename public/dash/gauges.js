// Widgets that draw one number small: gauge and sparkline.
import { h, setText, style, svg } from "/lib/dom.js";
import { formatEntry, formatNumber, formatValue } from "/lib/format.js";
import { output, setEntry } from "/dash/page.js";

await style("/dash/more.css");

const radius = 80, sweep = 1.5 * Math.PI, begin = 0.75 * Math.PI;
const at = (share) => [100 + radius * Math.cos(begin + sweep * share), 100 + radius * Math.sin(begin + sweep * share)];

function arc(from, to) {
  const [x1, y1] = at(from), [x2, y2] = at(to);
  return `M${x1.toFixed(2)} ${y1.toFixed(2)}A${radius} ${radius} 0 ${(to - from) * sweep > Math.PI ? 1 : 0} 1 ${x2.toFixed(2)} ${y2.toFixed(2)}`;
}

class Gauge {
  #fill; #value; #min; #max; #warn; #bad; #unit; #meter;

  constructor({ min = 0, max = 100, warn, bad, unit = "", title }) {
    if (!(max > min && max - min < Infinity)) max = min + 1;
    this.#min = min; this.#max = max; this.#warn = warn; this.#bad = typeof bad === "number" ? bad : undefined; this.#unit = unit;
    const share = (v) => Math.min(1, Math.max(0, (v - min) / (max - min)));
    const zones = [[warn, "warn"], [this.#bad, "bad"]].filter(([from]) => from !== undefined && from < max && from >= min);
    this.#fill = svg("path", { class: "gauge-fill", d: "" });
    this.#value = svg("text", { class: "gauge-value num mono", x: 100, y: 108 }, "");
    this.#meter = h("div", { class: "gauge", role: "meter", "aria-valuemin": min, "aria-valuemax": max, "aria-label": title },
      svg("svg", { viewBox: "0 0 200 188", "aria-hidden": "true" },
        svg("path", { class: "gauge-track", d: arc(0, 1) }),
        zones.map(([from, name]) => svg("path", { class: `gauge-zone ${name}`, d: arc(share(from), 1) })),
        this.#fill, this.#value,
        svg("text", { class: "gauge-bound", x: 40, y: 185 }, formatNumber(min)), svg("text", { class: "gauge-bound", x: 160, y: 185 }, formatNumber(max))));
    this.element = this.#meter;
  }

  show(entry) {
    const v = typeof entry?.v === "bigint" ? Number(entry.v) : entry?.v, isNumber = typeof v === "number";
    const tone = !isNumber ? "none" : this.#bad !== undefined && v >= this.#bad ? "bad" : this.#warn !== undefined && v >= this.#warn ? "warn" : "ok";
    const share = isNumber ? Math.min(1, Math.max(0, (v - this.#min) / (this.#max - this.#min))) : 0;
    this.#fill.setAttribute("d", share > 0.001 ? arc(0, share) : "");
    this.#meter.dataset.tone = tone;
    const text = isNumber ? formatValue(entry.v, this.#unit) : entry?.fail ? "failed" : "–";
    setText(this.#value, text);
    if (isNumber) this.#meter.setAttribute("aria-valuenow", v); else this.#meter.removeAttribute("aria-valuenow");
    this.#meter.setAttribute("aria-valuetext", tone === "warn" || tone === "bad" ? `${text}, ${tone === "bad" ? "too high" : "high"}` : text);
  }
}

export const gauge = (widget, { feeds: [feed], title, unit, facts }) => {
  const known = facts(feed.node);
  const gauge = new Gauge({ min: widget.min ?? known?.min, max: widget.max ?? known?.max, warn: widget.warn, bad: widget.bad, unit: unit(feed.node), title });
  return { element: gauge.element, draw: () => gauge.show(feed.entry) };
};

function drawLine(canvas, width, height, ring, from, to) {
  const ratio = devicePixelRatio || 1, pen = canvas.getContext("2d");
  if (width < 16 || height < 8) return;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const extent = ring.extent(from, to);
  if (!extent) return;
  const size = extent[1] - extent[0], y = (v) => (size ? height - 3 - (v - extent[0]) / size * (height - 6) : height / 2);
  pen.beginPath();
  pen.strokeStyle = pen.fillStyle = getComputedStyle(canvas).color;
  pen.lineWidth = 1.5;
  const held = ring.trace(pen, from, to, 0, width - 4, y);
  pen.stroke();
  if (held !== held) return;
  pen.beginPath();
  pen.arc(width - 3, y(held), 2.5, 0, 7);
  pen.fill();
}

export const sparkline = (widget, { feeds: [feed], page, now, unit, signal, mark }) => {
  const figure = output("figure-2 num"), canvas = h("canvas", { "aria-hidden": "true" }), box = h("div", { class: "spark" }, canvas);
  let size = { width: 0, height: 0 }, drawn = 0;
  // Asked for while drawing, it would force a layout.
  new ResizeObserver(([{ contentRect }], observer) => {
    if (signal.aborted) return observer.disconnect();
    size = { width: Math.floor(contentRect.width), height: Math.floor(contentRect.height) };
    drawn = 0;
    mark();
  }).observe(box);
  page.store.listen("theme", () => { drawn = 0; mark(); }, signal);
  return {
    element: h("div", { class: "sparkline" }, figure, box), ages: true,
    draw() {
      setEntry(figure, formatEntry(feed.entry, unit(feed.node)), feed.entry);
      // With reduced motion the line steps once a second.
      const to = now(), time = performance.now();
      if (page.store.get("reduced") && drawn && time - drawn < 900) return;
      drawn = time;
      drawLine(canvas, size.width, size.height, feed.ring, to - (widget.span ?? 300) * 1000, to);
    },
  };
};
