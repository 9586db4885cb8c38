// A number between two bounds as an arc, with the thresholds beyond which it is a warning and bad.
import { h, setText, svg } from "/lib/dom.js";
import { formatNumber, formatValue } from "/lib/format.js";

const radius = 80, sweep = 1.5 * Math.PI, begin = 0.75 * Math.PI;
const at = (share) => [100 + radius * Math.cos(begin + sweep * share), 100 + radius * Math.sin(begin + sweep * share)];

function arc(from, to) {
  const [x1, y1] = at(from), [x2, y2] = at(to);
  return `M${x1.toFixed(2)} ${y1.toFixed(2)}A${radius} ${radius} 0 ${(to - from) * sweep > Math.PI ? 1 : 0} 1 ${x2.toFixed(2)} ${y2.toFixed(2)}`;
}

export class Gauge {
  #fill; #value; #min; #max; #warn; #bad; #unit; #meter;

  constructor({ min = 0, max = 100, warn, bad, unit = "", title }) {
    if (!(max > min)) max = min + 1;
    Object.assign(this, { title });
    this.#min = min; this.#max = max; this.#warn = warn; this.#bad = typeof bad === "number" ? bad : undefined; this.#unit = unit;
    const share = (v) => Math.min(1, Math.max(0, (v - min) / (max - min)));
    const zones = [[warn, "warn"], [this.#bad, "bad"]].filter(([from]) => from !== undefined && from < max && from >= min);
    this.#fill = svg("path", { class: "gauge-fill", d: "" });
    this.#value = svg("text", { class: "gauge-value num mono", x: 100, y: 108 }, "");
    this.#meter = h("div", { class: "gauge", role: "meter", "aria-valuemin": min, "aria-valuemax": max, "aria-label": title },
      svg("svg", { viewBox: "0 0 200 178", "aria-hidden": "true" },
        svg("path", { class: "gauge-track", d: arc(0, 1) }),
        zones.map(([from, name]) => svg("path", { class: `gauge-zone ${name}`, d: arc(share(from), 1) })),
        this.#fill, this.#value,
        svg("text", { class: "gauge-bound", x: 40, y: 174 }, formatNumber(min)), svg("text", { class: "gauge-bound", x: 160, y: 174 }, formatNumber(max))));
    this.element = this.#meter;
  }

  show(entry) {
    const v = entry?.v, isNumber = typeof v === "number";
    const tone = !isNumber ? "none" : this.#bad !== undefined && v >= this.#bad ? "bad" : this.#warn !== undefined && v >= this.#warn ? "warn" : "ok";
    const share = isNumber ? Math.min(1, Math.max(0, (v - this.#min) / (this.#max - this.#min))) : 0;
    this.#fill.setAttribute("d", share > 0.001 ? arc(0, share) : "");
    this.#meter.dataset.tone = tone;
    const text = isNumber ? formatValue(v, this.#unit) : entry?.fail ? "failed" : "–";
    setText(this.#value, text);
    if (isNumber) this.#meter.setAttribute("aria-valuenow", v); else this.#meter.removeAttribute("aria-valuenow");
    this.#meter.setAttribute("aria-valuetext", tone === "warn" || tone === "bad" ? `${text}, ${tone === "bad" ? "too high" : "high"}` : text);
  }
}
