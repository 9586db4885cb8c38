// A number between bounds, on an arc with its thresholds.
import { h, setAttribute, setText, style, svg } from "/lib/dom.js";
import { formatNumber, formatValue } from "/lib/format.js";
import { isNumber } from "/widgets/parts.js";

style("/dash/more.css");

const radius = 80, sweep = 1.5 * Math.PI, begin = 0.75 * Math.PI;
const at = (share) => [100 + radius * Math.cos(begin + sweep * share), 100 + radius * Math.sin(begin + sweep * share)];

function arc(from, to) {
  const [x1, y1] = at(from), [x2, y2] = at(to), isLarge = (to - from) * sweep > Math.PI ? 1 : 0;
  return `M${x1.toFixed(2)} ${y1.toFixed(2)}A${radius} ${radius} 0 ${isLarge} 1 ${x2.toFixed(2)} ${y2.toFixed(2)}`;
}

/** The first round number with some room above `v`. */
function roundAbove(v) {
  const least = Math.max(v * 1.1, 1e-9), size = 10 ** Math.floor(Math.log10(least));
  return size * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((each) => each * size >= least);
}

/**
 * The bounds: of the widget, else of the node; percent from 0 to 100; else round numbers around the
 * thresholds and all values seen, which may grow.
 */
function boundsOf(widget, known, of, [least, most]) {
  const marks = [widget.warn, widget.bad].filter(Number.isFinite);
  const min = widget.min ?? known?.min ?? (least < 0 ? -roundAbove(-least) : 0);
  const max = widget.max ?? known?.max ?? (of === "%" ? 100 : roundAbove(Math.max(most, ...marks)));
  return max > min && max - min < Infinity ? [min, max] : [min, min + 1];
}

export default {
  kind: "gauge",
  label: "Gauge",
  size: [3, 3],
  options: ["pipe", "unit", "min", "max", "ok", "warn", "bad"],
  make(widget, { feeds: [feed], title, unit, facts, tone }) {
    const of = unit(feed.node), isBytes = /^B(\/s)?$/.test(of);
    const path = (name) => svg("path", { class: name, d: "" });
    const text = (name, x, y) => svg("text", { class: name, x, y }, "");
    const zones = ["warn", "bad"].filter((name) => Number.isFinite(widget[name]))
      .map((name) => [name, path(`gauge-zone ${name}`)]);
    const fill = path("gauge-fill"), value = text("gauge-value num", 100, 110), measure = text("gauge-unit", 100, 136);
    const ends = [text("gauge-bound", 40, 185), text("gauge-bound", 160, 185)];
    const element = h("div", { class: "gauge" }, svg("svg", { viewBox: "0 0 200 188", "aria-hidden": "true" },
      svg("path", { class: "gauge-track", d: arc(0, 1) }), zones.map(([, zone]) => zone), fill, value, measure, ends));
    let before = "", seen;
    const see = (v) => (seen = v === v ? [Math.min(seen[0], v), Math.max(seen[1], v)] : seen);
    /** The values of the node's history, which came with the first. */
    const begin = () => {
      seen = [0, 0];
      for (let i = 0; i < feed.ring.length; i++) see(feed.ring.value(i));
    };
    /** Draws what depends on the bounds, where these have changed. */
    const scale = (bounds) => {
      if (before === String(bounds)) return;
      before = String(bounds);
      const [min, max] = bounds;
      for (const [name, zone] of zones) {
        const from = (widget[name] - min) / (max - min);
        zone.setAttribute("d", from >= 0 && from < 1 ? arc(from, 1) : "");
      }
      ends.forEach((end, i) => setText(end, isBytes ? formatValue(bounds[i], of) : formatNumber(bounds[i])));
    };
    return {
      element,
      draw() {
        const { entry } = feed, isFigure = isNumber(entry?.v);
        if (isFigure && !seen) begin();
        if (isFigure) see(Number(entry.v));
        const bounds = boundsOf(widget, facts(feed.node), of, seen ?? [0, 1]), [min, max] = bounds;
        const part = isFigure ? Math.min(1, Math.max(0, (Number(entry.v) - min) / (max - min))) : 0;
        const found = isFigure ? tone() : (tone(), "none"), whole = isFigure ? formatValue(entry.v, of) : "";
        const shown = !isFigure ? entry?.fail ? "failed" : "–" : isBytes ? whole : formatNumber(entry.v, 5);
        scale(bounds);
        fill.setAttribute("d", part > 0.001 ? arc(0, part) : "");
        element.dataset.tone = found === "alarm" ? "bad" : found === "off" || found === "on" ? "ok" : found;
        // The letters of a long text are smaller: it must not touch the arc.
        value.style.fontSize = `${Math.min(40, 190 / Math.max(4, shown.length))}px`;
        setText(value, shown);
        setText(measure, isFigure && !isBytes ? of : "");
        // A meter must have a value.
        setAttribute(element, "role", isFigure ? "meter" : "img");
        const names = { "aria-valuemin": min, "aria-valuemax": max, "aria-valuenow": Number(entry?.v),
          "aria-valuetext": `${whole}${{ warn: ", high", alarm: ", too high", bad: ", too high" }[found] ?? ""}` };
        for (const [name, each] of Object.entries(names)) setAttribute(element, name, isFigure && String(each));
        setAttribute(element, "aria-label", isFigure ? title : `${title}: ${entry?.fail ? shown : "no value"}`);
      },
    };
  },
};
