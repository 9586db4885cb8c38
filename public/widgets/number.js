// A value with its unit and its trend.
import { h, setText } from "/lib/dom.js";
import { formatEntry, formatNumber } from "/lib/format.js";
import { isNumber, output, setEntry } from "/widgets/parts.js";

const arrows = { rising: "↗", falling: "↘", steady: "→" };

/** Compared with a minute ago, or with the first known value. */
function trend(ring, now) {
  const v = ring.at(now), before = ring.at(now - 60_000);
  const from = before === before ? before : ring.length > 1 ? ring.value(0) : NaN;
  const by = (v - from) / Math.max(Math.abs(v), Math.abs(from), 1e-12);
  return by > 0.005 ? "rising" : by < -0.005 ? "falling" : by === by ? "steady" : "";
}

export default {
  kind: "number",
  label: "Number",
  size: [3, 2],
  options: ["pipe", "unit", "ok", "warn", "bad"],
  make(widget, { feeds: [feed], now, unit, words, tone }) {
    const figure = output("figure num"), measure = h("span", { class: "figure-unit" });
    const way = h("span", { class: "trend dim small" });
    const of = unit(feed.node), isBytes = /^B(\/s)?$/.test(of);
    return {
      element: h("div", { class: "number" }, h("div", {}, figure, measure), way),
      draw() {
        const { entry } = feed, isFigure = isNumber(entry?.v), text = formatEntry(entry, "", words(feed.node));
        const isPlain = isFigure && !isBytes && text === formatEntry(entry);
        const word = isFigure && feed.ring.staleSince === undefined ? trend(feed.ring, now()) : "";
        setEntry(figure, isPlain ? formatNumber(entry.v, 5) : isBytes ? formatEntry(entry, of) : text, entry);
        setText(measure, isPlain ? of : "");
        setText(way, word && `${arrows[word]} ${word}`);
        tone();
      },
    };
  },
};
