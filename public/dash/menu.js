// The menu of a widget, and its values as a table, as JSON and as CSV.
import { h, style } from "/lib/dom.js";
import { kinds } from "/dash/widget.js";

style("/dash/more.css");

const spell = (_, v) => (typeof v === "bigint" ? v.toString() : v);
const objects = ({ head, rows }) => rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
// A field that begins like a formula would be run by spreadsheets; it gets a quote in front.
const field = (each) => {
  let text = typeof each === "object" ? JSON.stringify(each, spell) : String(each);
  if (typeof each === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = ({ head, rows }) => [head, ...rows].map((row) => row.map(field).join(",")).join("\r\n");

function simpleTable({ sources: [source] }) {
  return source && { head: ["node", "value"], rows: [[source.feed.node, source.feed.entry?.v ?? null]] };
}

const tableOf = (widget) => widget.picture?.table?.() ?? simpleTable(widget);
const isTable = (widget) => !!widget.picture && !widget.picture.element.isConnected;

/** From the picture to its values as they are now, and back. */
function turn(widget) {
  if (isTable(widget)) return widget.body.replaceChildren(widget.picture.element);
  const { head, rows } = tableOf(widget);
  widget.body.replaceChildren(h("div", { class: "scroll fill", tabindex: 0, role: "group", "aria-label": "As a table" }, h("table", { class: "tight" },
    h("thead", {}, h("tr", {}, head.map((each) => h("th", {}, each)))),
    h("tbody", {}, rows.slice(0, 500).map((row) => h("tr", {}, row.map((each) => h("td", { class: "num mono" }, typeof each === "object" ? JSON.stringify(each, spell) : String(each)))))))));
}

async function copy(text, what, { title }, { announce, dialogs }) {
  try {
    await navigator.clipboard.writeText(text);
    announce(`Copied as ${what}`);
  } catch {
    // A page that is not served securely may not copy; the text can still be taken by hand.
    dialogs.open({ title: `${title} as ${what}`, body: h("textarea", { rows: 12, readonly: true }, text) });
  }
}

/** Opens the menu at the widget's button. */
export function widgetMenu(widget, { page }, editing) {
  const table = tableOf(widget), disabled = !table;
  page.dialogs.menu(widget.menuButton, [
    { label: "Edit…", action: () => editing.edit(widget), disabled: !kinds[widget.data.kind] },
    { label: "Move or resize", action: () => editing.moving.hold(widget) },
    { label: "Duplicate", action: () => editing.duplicate(widget) },
    { label: document.fullscreenElement ? "Leave full screen" : "Full screen", action: () => (document.fullscreenElement ? document.exitFullscreen() : widget.element.requestFullscreen?.()) },
    { label: isTable(widget) ? "Show as picture" : "Show as table", action: () => turn(widget), disabled },
    { label: "Copy as JSON", action: () => copy(JSON.stringify(objects(table), spell, 1), "JSON", widget, page), disabled },
    { label: "Copy as CSV", action: () => copy(csv(table), "CSV", widget, page), disabled },
    { label: "Remove", action: () => editing.remove(widget) },
  ]);
}
