// A tile: what every widget shows of what it is about, on a page, a wall and a phone. Its icon and
// title, one value with its unit or word, its trend or age, and how current and how urgent it is.
import { h, icon, load, setAttribute, setText } from "/lib/dom.js";
import { formatEntry, formatNumber } from "/lib/format.js";
import { isNumber, output, setEntry } from "/widgets/parts.js";
import { isLoud, toneWords } from "/widgets/tone.js";

const dots = "M3 8h.01M8 8h.01M13 8h.01", triangle = "M8 2 15 13.5H1zM8 6.5v3.2M8 11.6v.1";
const arrows = { rising: "↗", falling: "↘", steady: "→" };

/** What a node is to a person: a `setting`, a `helper` of other nodes, or what a `sensor` says. */
const roleOf = ({ kind, role, title, unit }) =>
  (kind === "mutable" && role !== "sensor" ? "setting" : title || unit ? "sensor" : "helper");

export class Tile {
  body = h("div", { class: "widget-body" });
  #badge = h("span", { class: "badge", "aria-hidden": "true" }); #heading = h("h2");
  #alarm = h("strong", { class: "widget-alarm" }); #state = h("span", { class: "widget-state" });
  #more = h("span", { class: "tile-more" });

  /** `data`: the widget's; `onmenu` opens its menu. */
  constructor({ kind }, onmenu) {
    this.menuButton = h("button", {
      type: "button", class: "quiet only-icon widget-menu", "aria-haspopup": "menu", onclick: onmenu,
    }, icon(dots));
    this.element = h("article", { class: "widget card", dataset: { kind } },
      h("header", {}, this.#badge, this.#heading, this.menuButton), this.body,
      h("footer", {}, this.#alarm, this.#state, this.#more), h("span", { class: "widget-resize" }));
  }

  /** `node`: what is known of it, where the widget shows one only; `link` leads to it. */
  name(title, kind, node, link) {
    this.element.ariaLabel = `${title}, ${kind}`;
    this.menuButton.ariaLabel = `Menu of ${title}`;
    setAttribute(this.element, "data-role", node && roleOf(node));
    this.#draw(node).catch(() => { /* without its icon */ });
    this.#heading.replaceChildren(link ? h("a", link, title) : title);
  }

  /** The badge: the icon of the node, which few graphs have, and the sign of an alarm. */
  async #draw(node) {
    this.#badge.replaceChildren(icon(triangle));
    if (!node?.icon) return;
    const { nodeIcon } = await load("/lib/icons.js");
    this.#badge.replaceChildren(icon(triangle), nodeIcon(node));
  }

  /** How good the value is; `isLamp`: the badge has its colour. */
  tone(tone, isLamp) {
    setAttribute(this.element, "data-loud", isLoud(tone) && tone);
    setAttribute(this.element, "data-lamp", isLamp && tone);
    setText(this.#alarm, toneWords[tone] ?? "");
  }

  /** `name`: ended, stale, error, loading or none; `words` stand in place of the trend. */
  state(name, words) {
    setAttribute(this.element, "data-state", name || null);
    setText(this.#state, words);
    setAttribute(this.#state, "title", words || null);
  }

  more(words) { setText(this.#more, words); }
}

/** A value, large, with its unit or as people call it. */
export class Figure {
  #value = output("figure num"); #unit = h("span", { class: "figure-unit" });
  element = h("div", { class: "figure-box" }, this.#value, this.#unit);

  show(entry, unit, words) {
    const isBytes = /^B(\/s)?$/.test(unit), text = formatEntry(entry, "", words);
    const isPlain = isNumber(entry?.v) && !isBytes && text === formatEntry(entry);
    const shown = isPlain ? formatNumber(entry.v, 5) : isBytes ? formatEntry(entry, unit) : text;
    setEntry(this.#value, shown, entry);
    setText(this.#unit, isPlain ? unit : "");
    // The letters of a long text are smaller.
    const size = String(Math.max(4, shown.length + (isPlain && unit ? 0.5 * unit.length + 0.5 : 0)));
    if (this.element.style.getPropertyValue("--letters") !== size) this.element.style.setProperty("--letters", size);
  }
}

/** Where a number is going, compared with a minute ago or with the first known value; or "". */
export function trendOf({ entry, ring }, now) {
  if (!isNumber(entry?.v) || ring.staleSince !== undefined) return "";
  const v = ring.at(now), before = ring.at(now - 60_000);
  const from = before === before ? before : ring.length > 1 ? ring.value(0) : NaN;
  const by = (v - from) / Math.max(Math.abs(v), Math.abs(from), 1e-12);
  const word = by > 0.005 ? "rising" : by < -0.005 ? "falling" : by === by ? "steady" : "";
  return word && `${arrows[word]} ${word}`;
}
