// Widgets of words and figures, and frames around the editor and the chart.
import { h, load, setText } from "/lib/dom.js";
import { formatEntry, formatNumber, formatTime } from "/lib/format.js";

const arrows = { rising: "↗", falling: "↘", steady: "→" };

/** Which way the number went over the last minute, in a word. */
function trend(ring, now) {
  const v = ring.at(now), before = ring.at(now - 60_000), from = before === before ? before : ring.length > 1 ? ring.value(0) : NaN;
  if (v !== v || from !== from) return "";
  const size = Math.max(Math.abs(v), Math.abs(from), 1e-12), by = (v - from) / size;
  return by > 0.005 ? "rising" : by < -0.005 ? "falling" : "steady";
}

function drawn(element, page, draw, own = {}) {
  const item = page.frame.item(element, draw);
  return { element, show: () => item.mark(), mark: () => item.mark(), close: () => { item.close(); own.close?.(); } };
}

export const number = (widget, { feeds: [feed], page, now, unit }) => {
  const figure = h("output", { class: "figure value num" }), measure = h("span", { class: "figure-unit" }), way = h("span", { class: "trend dim small" });
  const element = h("div", { class: "number" }, h("div", {}, figure, measure), way);
  return drawn(element, page, () => {
    const { entry } = feed, bytes = unit(feed.node) === "B" || unit(feed.node) === "B/s", isNumber = typeof entry?.v === "number";
    setText(figure, isNumber && !bytes ? formatNumber(entry.v, 5) : formatEntry(entry, bytes ? unit(feed.node) : ""));
    setText(measure, isNumber && !bytes ? unit(feed.node) : "");
    figure.classList.toggle("fail", !!entry?.fail);
    figure.classList.toggle("empty", !!entry?.empty);
    const word = isNumber ? trend(feed.ring, now()) : "";
    setText(way, word ? `${arrows[word]} ${word}` : "");
  });
};

/** What the widget says is good or bad, else true is on. */
function tone(entry, { ok, bad }) {
  if (!entry || entry.empty) return ["off", "empty"];
  if (entry.fail) return ["bad", formatEntry(entry)];
  const is = (wanted) => wanted !== undefined && (wanted === entry.v || String(wanted) === String(entry.v));
  const word = entry.v === true ? "on" : entry.v === false ? "off" : formatEntry(entry);
  if (is(bad)) return ["bad", word];
  if (is(ok)) return ["ok", word];
  return [entry.v === false || entry.v === null || entry.v === 0 ? "off" : bad === undefined && ok === undefined ? "on" : "off", word];
}

export const lamp = (widget, { feeds: [feed], page }) => {
  const word = h("output", { class: "value" }), element = h("div", { class: "lamp" }, h("i", { "aria-hidden": "true" }), word);
  return drawn(element, page, () => {
    const [name, text] = tone(feed.entry, widget);
    element.dataset.tone = name;
    setText(word, text);
  });
};

export const text = (widget, { feeds: [feed], page, unit }) => {
  const body = h(feed ? "output" : "p", { class: feed ? "words value" : "words" }), element = h("div", { class: "text" }, body);
  if (!feed) setText(body, widget.text ?? "");
  return drawn(element, page, () => {
    if (!feed) return;
    const { entry } = feed, isDeep = entry?.v && typeof entry.v === "object";
    setText(body, isDeep ? JSON.stringify(entry.v, (_, v) => (typeof v === "bigint" ? Number(v) : v), 1).slice(0, 20_000) : formatEntry(entry, unit(feed.node)));
    body.classList.toggle("fail", !!entry?.fail);
    body.classList.toggle("empty", !!entry?.empty);
    body.classList.toggle("deep", !!isDeep);
  });
};

export const editor = async (widget, { feeds: [feed], page, graph, facts }) => {
  const node = facts(feed.node) ?? { name: feed.node, kind: "mutable", type: "any" };
  if (node.kind !== "mutable") {
    return { element: h("p", { class: "dim" }, "This node is derived from others and cannot be set."), show() {}, mark() {}, close() {} };
  }
  const { valueEditor } = await load("/ui/value-editor.js");
  const own = valueEditor({ client: page.client, graph, node: { ...node, slider: widget.slider }, announce: page.announce, compact: true });
  const show = () => feed.meta && own.show(feed.entry, feed.meta);
  return { element: own.element, show, mark: show, close: () => own.close() };
};

/** Every point of one ring, newest first. */
const points = (ring) => Array.from({ length: ring.length }, (_, i) => ring.length - 1 - i)
  .map((i) => [formatTime(ring.time(i)), Number.isNaN(ring.value(i)) ? "" : ring.value(i)]);

export const series = async (widget, { feeds, page, shared, now, title, unit, facts }) => {
  const { Cursor, TimeChart } = await load("/chart/chart.js");
  const chart = new TimeChart({
    series: feeds.map((feed) => ({ name: facts(feed.node)?.title ?? feed.node, unit: unit(feed.node), ring: feed.ring })),
    span: (widget.span ?? 300) * 1000, min: widget.min, max: widget.max, cursor: (shared.cursor ??= new Cursor()), page, now, title,
  });
  return {
    element: chart.element,
    show: () => chart.grow(),
    mark: () => chart.mark(),
    close: () => chart.close(),
    table: () => ({
      head: ["time", ...feeds.map(({ node }) => node)],
      rows: (feeds.length === 1 ? points(feeds[0].ring) : null) ?? [...new Set(feeds.flatMap(({ ring }) => Array.from({ length: ring.length }, (_, i) => ring.time(i))))].sort((a, b) => b - a)
        .map((t) => [formatTime(t), ...feeds.map(({ ring }) => { const v = ring.at(t); return v === v ? v : ""; })]),
    }),
  };
};
