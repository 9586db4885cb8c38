// A table of many nodes: only the rows in sight are in the document.
import { h, setText } from "/lib/dom.js";
import { formatAge, formatEntry } from "/lib/format.js";
import { reportWords } from "/lib/words.js";
import { setEntry } from "/widgets/parts.js";

const rowHeight = 28;
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;

/** The names in the order of the definition, members of families after that. */
function sorted(names, observed) {
  const places = new Map([...observed.nodes.keys()].map((name, i) => [name, i]));
  const place = (name) => places.get(name) ?? Infinity;
  return [...names].sort((a, b) => (place(a) === place(b) ? inOrder(a, b) : place(a) - place(b)));
}

function make(widget, { feeds: [feed], unit, words, facts, now, observed, signal, mark }) {
  let names = [];
  const rows = [], body = h("tbody");
  const head = h("thead", { class: "unseen" },
    h("tr", {}, h("th", {}, "Node"), h("th", {}, "Value"), h("th", {}, "Changed")));
  const list = h("table", { class: "tight rows" }, h("col"), h("col"), h("col"), head, body);
  const space = h("div", { class: "log-space" }, list);
  const none = h("p", { class: "dim", hidden: true }, "No node has such a name.");
  const element = h("div", { class: "scroll fill rows-pane", tabindex: 0, role: "group" }, none, space);
  const add = () => {
    const name = h("th", { scope: "row" }), value = h("td", { class: "num mono value" });
    const age = h("td", { class: "dim small num" }), row = h("tr", {}, name, value, age);
    rows.push({ row, name, value, age });
    body.append(row);
  };
  element.addEventListener("scroll", mark, { passive: true, signal });
  new ResizeObserver(mark).observe(element);
  return {
    element,
    ages: true,
    draw() {
      if (!feed.meta) return;
      if (feed.isOther) {
        names = sorted(feed.rows.keys(), observed);
        feed.isOther = false;
      }
      none.hidden = names.length > 0;
      space.style.height = `${names.length * rowHeight}px`;
      const count = Math.ceil(element.clientHeight / rowHeight) + 6;
      const first = Math.max(0, Math.min(Math.floor(element.scrollTop / rowHeight) - 3, names.length - count));
      const part = names.slice(first, first + count);
      list.style.transform = `translateY(${first * rowHeight}px)`;
      list.ariaRowCount = names.length;
      while (rows.length < part.length) add();
      while (rows.length > part.length) rows.pop().row.remove();
      part.forEach((each, i) => {
        const { row, name, value, age } = rows[i], { entry, changed } = feed.rows.get(each), known = facts(each);
        const { stale, t: reported = changed } = entry.state ?? {};
        row.classList.toggle("old", !!stale);
        row.ariaRowIndex = first + i + 1;
        setText(name, known?.title ?? each);
        name.title = each;
        setEntry(value, formatEntry(entry, unit(each), words(each)), entry);
        setText(age, stale ? reportWords(reported, now()) : changed ? formatAge(Math.max(0, now() - changed)) : "");
      });
    },
    table: () => ({ head: ["node", "value"], rows: names.map((name) => [name, feed.rows.get(name).entry.v ?? null]) }),
  };
}

export default { kind: "table", label: "Table", size: [6, 4], options: [], source: "all", make };
