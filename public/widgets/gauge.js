// A number between bounds, on an arc with its thresholds.
import { h, setText, svg } from "/lib/dom.js";
import { formatNumber, formatValue } from "/lib/format.js";
import { isNumber } from "/widgets/parts.js";

const radius = 80, sweep = 1.5 * Math.PI, begin = 0.75 * Math.PI;
const at = (share) => [100 + radius * Math.cos(begin + sweep * share), 100 + radius * Math.sin(begin + sweep * share)];

function arc(from, to) {
  const [x1, y1] = at(from), [x2, y2] = at(to), isLarge = (to - from) * sweep > Math.PI ? 1 : 0;
  return `M${x1.toFixed(2)} ${y1.toFixed(2)}A${radius} ${radius} 0 ${isLarge} 1 ${x2.toFixed(2)} ${y2.toFixed(2)}`;
}

export default {
  kind: "gauge",
  label: "Gauge",
  size: [3, 3],
  options: ["pipe", "unit", "min", "max", "ok", "warn", "bad"],
  make(widget, { feeds: [feed], title, unit, facts, tone }) {
    const known = facts(feed.node), min = widget.min ?? known?.min ?? 0, of = unit(feed.node);
    let max = widget.max ?? known?.max ?? 100;
    if (!(max > min && max - min < Infinity)) max = min + 1;
    const share = (v) => Math.min(1, Math.max(0, (v - min) / (max - min)));
    const zones = [["warn", widget.warn], ["bad", widget.bad]]
      .filter(([, from]) => typeof from === "number" && from < max && from >= min);
    const fill = svg("path", { class: "gauge-fill", d: "" });
    const value = svg("text", { class: "gauge-value num", x: 100, y: 108 }, "");
    const element = h("div", {
      class: "gauge", role: "meter", "aria-valuemin": min, "aria-valuemax": max, "aria-label": title,
    }, svg("svg", { viewBox: "0 0 200 188", "aria-hidden": "true" },
      svg("path", { class: "gauge-track", d: arc(0, 1) }),
      zones.map(([name, from]) => svg("path", { class: `gauge-zone ${name}`, d: arc(share(from), 1) })),
      fill, value,
      svg("text", { class: "gauge-bound", x: 40, y: 185 }, formatNumber(min)),
      svg("text", { class: "gauge-bound", x: 160, y: 185 }, formatNumber(max))));
    return {
      element,
      draw() {
        const { entry } = feed, isFigure = isNumber(entry?.v), part = isFigure ? share(Number(entry.v)) : 0;
        const text = isFigure ? formatValue(entry.v, of) : entry?.fail ? "failed" : "–";
        const found = isFigure ? tone() : (tone(), "none");
        fill.setAttribute("d", part > 0.001 ? arc(0, part) : "");
        element.dataset.tone = found === "alarm" ? "bad" : found === "off" || found === "on" ? "ok" : found;
        // A long text gets smaller letters.
        value.style.fontSize = `${Math.min(34, 240 / Math.max(4, text.length))}px`;
        setText(value, text);
        if (isFigure) element.setAttribute("aria-valuenow", Number(entry.v));
        else element.removeAttribute("aria-valuenow");
        const words = { warn: ", high", alarm: ", too high", bad: ", too high" }[found] ?? "";
        element.setAttribute("aria-valuetext", `${text}${words}`);
      },
    };
  },
};
