// A table of many nodes.
import { h, setText, style } from "/lib/dom.js";
import { formatAge, formatEntry } from "/lib/format.js";
import { setEntry } from "/dash/page.js";

await Promise.all(["/ui/table.css", "/dash/more.css"].map(style));

const rowHeight = 28;
const inOrder = new Intl.Collator(undefined, { numeric: true }).compare;

/** All nodes that names and globs mean, as they come and go; only the rows in sight are in the document. */
export const table = (widget, { feeds: [feed], unit, facts, now, observed, signal, mark }) => {
  let names = [];
  const rows = [], body = h("tbody"), list = h("table", { class: "tight rows" }, h("col"), h("col"), h("col"), h("thead", { class: "unseen" }, h("tr", {}, h("th", {}, "Node"), h("th", {}, "Value"), h("th", {}, "Changed"))), body);
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
