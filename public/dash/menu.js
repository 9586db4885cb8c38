// The menu of a widget, and its values as a table, as JSON and as CSV.
import { h, style } from "/lib/dom.js";
import { formatTime } from "/lib/format.js";
import { isKnown } from "/widgets/index.js";

style("/dash/more.css");

const spell = (_, v) => (typeof v === "bigint" ? JSON.rawJSON(v) : v);
const objects = ({ head, rows }) => rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
// A field that begins like a formula would be run by spreadsheets; it gets a quote in front.
const field = (each) => {
  let text = each instanceof Date ? each.toISOString()
    : typeof each === "object" ? JSON.stringify(each, spell) : String(each);
  if (typeof each === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = ({ head, rows }) => [head, ...rows].map((row) => row.map(field).join(",")).join("\r\n");

const number = (v) => (v === v ? v : "");

/**
 * A chart's points, newest first: of one node all, of several their values whenever one of them
 * changed.
 */
function points(feeds, tracks) {
  const head = ["time", ...feeds.map(({ node }) => node)], all = tracks.map((track) => track.rows());
  if (all.length === 1) return { head, rows: all[0].map(([t, v]) => [new Date(t), number(v)]).reverse() };
  const times = [...new Set(all.flatMap((rows) => rows.map(([t]) => t)))].sort((a, b) => a - b);
  const next = all.map(() => 0), held = all.map(() => NaN);
  const rows = times.map((t) => [new Date(t), ...all.map((each, i) => {
    while (each[next[i]]?.[0] <= t) held[i] = each[next[i]++][1];
    return number(held[i]);
  })]);
  return { head, rows: rows.reverse() };
}

/** Rows of what a widget shows, times as dates. */
function tableOf({ picture, sources }) {
  const feeds = sources.map(({ feed }) => feed);
  if (picture?.tracks) return points(feeds, picture.tracks);
  if (picture?.table) return picture.table();
  return { head: ["node", "value"], rows: feeds.map(({ node, entry }) => [node, entry?.v ?? null]) };
}

const word = (each) => (each instanceof Date ? formatTime(each)
  : typeof each === "object" ? JSON.stringify(each, spell) : String(each));
const isTable = (widget) => !!widget.picture && !widget.picture.element.isConnected;

/** From the picture to its values as they are now, and back. */
function turn(widget) {
  if (isTable(widget)) return widget.body.replaceChildren(widget.picture.element);
  const { head, rows } = tableOf(widget), cell = (each) => h("td", { class: "num mono" }, word(each));
  widget.body.replaceChildren(
    h("div", { class: "scroll fill", tabindex: 0, role: "group", "aria-label": "As a table" },
      h("table", { class: "tight" },
        h("thead", {}, h("tr", {}, head.map((each) => h("th", {}, each)))),
        h("tbody", {}, rows.slice(0, 500).map((row) => h("tr", {}, row.map(cell)))))));
}

async function copy(text, what, { title }, { announce, dialogs }) {
  try {
    await navigator.clipboard.writeText(text);
    announce(`Copied as ${what}`);
  } catch {
    // A page without https may not copy; the text can still be selected.
    dialogs.open({ title: `${title} as ${what}`, body: h("textarea", { rows: 12, readonly: true, "aria-label": what }, text) });
  }
}

/**
 * Opens the menu at the widget's button; what changes the dashboard is in it only while the
 * dashboard is edited.
 */
export function widgetMenu(widget, board, editing) {
  // The table of a chart is long: made when it is asked for.
  const { page } = board, disabled = !widget.picture, isFull = !!document.fullscreenElement;
  const table = () => tableOf(widget), json = () => JSON.stringify(objects(table()), spell, 1);
  const fullScreen = () => (isFull ? document.exitFullscreen() : widget.element.requestFullscreen?.());
  page.dialogs.menu(widget.menuButton, [
    ...(board.isEditing ? [
      { label: "Edit…", action: () => editing.edit(widget), disabled: !isKnown(widget.data.kind) },
      ...(page.store.get("narrow") ? [
        { label: "Move up", action: () => editing.moving.swap(widget, -1) },
        { label: "Move down", action: () => editing.moving.swap(widget, 1) },
      ] : [{ label: "Move or resize", action: () => editing.moving.hold(widget) }]),
      { label: "Duplicate", action: () => editing.duplicate(widget) },
      { label: "Remove", action: () => editing.remove(widget) },
    ] : []),
    { label: isFull ? "Leave full screen" : "Full screen", action: fullScreen },
    { label: isTable(widget) ? "Show as picture" : "Show as table", action: () => turn(widget), disabled },
    { label: "Copy as JSON", action: () => copy(json(), "JSON", widget, page), disabled },
    { label: "Copy as CSV", action: () => copy(csv(table()), "CSV", widget, page), disabled },
  ]);
}
