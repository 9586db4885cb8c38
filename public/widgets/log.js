// A log of one node's values.
import { h, setText, style } from "/lib/dom.js";
import { formatEntry, formatTime } from "/lib/format.js";
import { timeOf } from "/dash/feeds.js";
import { resize } from "/widgets/parts.js";

style("/dash/more.css");

const kept = 1000, lineHeight = 22;

/** Every value of one node, newest first; only what is in sight is in the document. */
function make(widget, { page, graph, feeds: [feed], facts, unit, words, signal, mark, isKiosk }) {
  const lines = [];
  let paused = false, missed = 0, filter = "";
  const list = h("ol", { class: "log-lines" }), space = h("div", { class: "log-space" }, list);
  const pane = h("div", {
    class: "scroll fill log", tabindex: 0, role: "log", "aria-live": "off", "aria-label": `Values of ${feed.node}`,
  }, space);
  const find = h("input", {
    type: "search", placeholder: "Filter", "aria-label": "Filter the log", class: "small",
    oninput: () => { filter = find.value.toLowerCase(); mark(); },
  });
  const pause = h("button", { type: "button", class: "quiet small", "aria-pressed": "false", onclick: () => {
    paused = !paused;
    missed = 0;
    pause.setAttribute("aria-pressed", paused);
    if (!paused) shown = null;
    else shown = [...lines];
    mark();
  } }, "Pause");
  let shown = null;
  // A wall has no keyboard.
  const element = h("div", { class: "log-box" }, !isKiosk && h("div", { class: "log-tools" }, find, pause), pane);
  const draw = () => {
    const all = (shown ?? lines).filter(({ text }) => !filter || text.toLowerCase().includes(filter));
    setText(pause, paused ? `Go on (${missed} new)` : "Pause");
    space.style.height = `${all.length * lineHeight}px`;
    const first = Math.max(0, Math.floor(pane.scrollTop / lineHeight) - 4);
    const count = Math.ceil(pane.clientHeight / lineHeight) + 8;
    list.style.transform = `translateY(${first * lineHeight}px)`;
    const part = all.slice(first, first + count);
    resize(list, part.length, () => h("li", {}, h("time", { class: "dim num" }), h("span", { class: "value" })));
    part.forEach(({ t, text, isFail }, i) => {
      const [time, value] = list.children[i].children;
      setText(time, t ? formatTime(t) : "–");
      setText(value, text);
      value.classList.toggle("fail", isFail);
    });
  };
  pane.addEventListener("scroll", mark, { passive: true, signal });
  // A log wants every value, the feed only the newest.
  const watch = page.client.watch({ graph, node: feed.node }, null, (value, meta) => {
    if (meta.ended) return;
    const entry = meta.fail ? { fail: meta.fail }
      : meta.empty || value === undefined ? { empty: true } : { v: value };
    // When a pipeline had its first value is not known.
    const isFirst = !lines.length || meta.gap !== undefined;
    const t = widget.pipe ? (isFirst ? 0 : meta.t) : timeOf(meta, facts(feed.node));
    if (meta.lost) lines.unshift({ t, text: "some values are missing here", isFail: true });
    const last = lines[0], text = formatEntry(entry, unit(feed.node), words(feed.node));
    if (last && last.rev === meta.rev && last.text === text) return;
    lines.unshift({ t, rev: meta.rev, text, v: value, isFail: !!meta.fail });
    if (lines.length > kept) lines.pop();
    if (paused) missed++;
    mark();
  }, { mode: "all", queue: 1024, history: widget.pipe ? undefined : 100, pipe: widget.pipe });
  return {
    element, draw, close: () => watch.close(),
    table: () => ({ head: ["time", "value"], rows: lines.map(({ t, text, v = text }) => [t ? new Date(t) : "", v]) }),
  };
}

export default { kind: "log", label: "Log", size: [6, 4], options: ["pipe"], make };
