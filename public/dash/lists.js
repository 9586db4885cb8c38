// Widgets of many values: a table of nodes, a log of one node's values.
import { h, setText, style } from "/lib/dom.js";
import { formatAge, formatEntry } from "/lib/format.js";
import { formatTime } from "/lib/time.js";
import { setEntry } from "/dash/page.js";

await Promise.all(["/ui/table.css", "/dash/more.css"].map(style));

const kept = 1000, lineHeight = 22, rowHeight = 28;
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;

/** All nodes that names and globs mean, as they come and go; only the rows in sight are in the document. */
export const table = (widget, { feeds: [feed], unit, facts, now, observed, signal, mark }) => {
  let names = [];
  const rows = [], body = h("tbody"), list = h("table", { class: "tight rows" }, h("thead", { class: "unseen" }, h("tr", {}, h("th", {}, "Node"), h("th", {}, "Value"), h("th", {}, "Changed"))), body);
  const space = h("div", { class: "log-space" }, list), none = h("p", { class: "dim", hidden: true }, "No node has such a name.");
  const element = h("div", { class: "scroll fill", tabindex: 0, role: "group" }, none, space);
  // In the order of the definition, members of families after that.
  const order = () => {
    const places = new Map([...observed.nodes.keys()].map((name, i) => [name, i])), place = (name) => places.get(name) ?? Infinity;
    names = [...feed.rows.keys()].sort((a, b) => (place(a) === place(b) ? inOrder(a, b) : place(a) - place(b)));
    feed.isOther = false;
  };
  const add = () => {
    const name = h("th", { scope: "row" }), value = h("td", { class: "num mono value" }), age = h("td", { class: "dim small num" }), row = h("tr", {}, name, value, age);
    rows.push({ row, name, value, age });
    body.append(row);
  };
  element.addEventListener("scroll", mark, { passive: true, signal });
  new ResizeObserver(mark).observe(element);
  return {
    element, ages: true,
    draw() {
      if (!feed.meta) return;
      if (feed.isOther) order();
      none.hidden = names.length > 0;
      space.style.height = `${names.length * rowHeight}px`;
      const count = Math.ceil(element.clientHeight / rowHeight) + 6, first = Math.max(0, Math.min(Math.floor(element.scrollTop / rowHeight) - 3, names.length - count)), part = names.slice(first, first + count);
      list.style.transform = `translateY(${first * rowHeight}px)`;
      list.ariaRowCount = names.length;
      while (rows.length < part.length) add();
      while (rows.length > part.length) rows.pop().row.remove();
      part.forEach((each, i) => {
        const { row, name, value, age } = rows[i], { entry, changed } = feed.rows.get(each), known = facts(each);
        row.ariaRowIndex = first + i + 1;
        setText(name, (known?.name === each && known.title) || each);
        name.title = each;
        setEntry(value, formatEntry(entry, unit(each)), entry);
        setText(age, changed ? formatAge(Math.max(0, now() - changed)) : "");
      });
    },
    table: () => ({ head: ["node", "value"], rows: names.map((name) => [name, feed.rows.get(name).entry.v ?? null]) }),
  };
};

/** Every value of one node, newest first; only what is in sight is in the document. */
export const log = (widget, { page, graph, feeds: [feed], unit, signal, mark }) => {
  const lines = [];
  let paused = false, missed = 0, filter = "";
  const list = h("ol", { class: "log-lines" }), space = h("div", { class: "log-space" }, list);
  const pane = h("div", { class: "scroll fill log", tabindex: 0, role: "log", "aria-live": "off", "aria-label": `Values of ${feed.node}` }, space);
  const find = h("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the log", class: "small", oninput: () => { filter = find.value.toLowerCase(); mark(); } });
  const pause = h("button", { type: "button", class: "quiet small", "aria-pressed": "false", onclick: () => {
    paused = !paused;
    missed = 0;
    pause.setAttribute("aria-pressed", paused);
    if (!paused) shown = null;
    else shown = [...lines];
    mark();
  } }, "Pause");
  let shown = null;
  const element = h("div", { class: "log-box" }, h("div", { class: "log-tools" }, find, pause), pane);
  const draw = () => {
    const all = (shown ?? lines).filter(({ text }) => !filter || text.toLowerCase().includes(filter));
    setText(pause, paused ? `Go on (${missed} new)` : "Pause");
    space.style.height = `${all.length * lineHeight}px`;
    const first = Math.max(0, Math.floor(pane.scrollTop / lineHeight) - 4), count = Math.ceil(pane.clientHeight / lineHeight) + 8;
    list.style.transform = `translateY(${first * lineHeight}px)`;
    const part = all.slice(first, first + count);
    while (list.childElementCount < part.length) list.append(h("li", {}, h("time", { class: "dim num" }), h("span", { class: "value" })));
    while (list.childElementCount > part.length) list.lastChild.remove();
    part.forEach(({ t, text, isFail }, i) => {
      const [time, value] = list.children[i].children;
      setText(time, formatTime(t));
      setText(value, text);
      value.classList.toggle("fail", isFail);
    });
  };
  pane.addEventListener("scroll", mark, { passive: true, signal });
  // A log wants every value, the feed only the newest.
  const watch = page.client.watch({ graph, node: feed.node }, null, (value, meta) => {
    if (meta.ended) return;
    const entry = meta.fail ? { fail: meta.fail } : meta.empty || value === undefined ? { empty: true } : { v: value };
    const last = lines[0], text = formatEntry(entry, unit(feed.node));
    if (last && last.rev === meta.rev && last.text === text) return;
    lines.unshift({ t: meta.t, rev: meta.rev, text, v: value, isFail: !!meta.fail });
    if (lines.length > kept) lines.pop();
    if (paused) missed++;
    mark();
  }, { mode: "all", queue: 1024, history: 100, pipe: widget.pipe });
  return {
    element, draw, close: () => watch.close(),
    table: () => ({ head: ["time", "value"], rows: lines.map(({ t, text, v = text }) => [new Date(t), v]) }),
  };
};
