// Shown beside a value that devices or programs set: its last minutes, and a field that opens with
// a button for setting it by hand.
import { h, setAttribute, svg } from "/lib/dom.js";
import { valueEditor } from "./value-editor.js";

const width = 140, height = 28, edge = 2;
/** How many values are kept. */
const most = 120;

/** The last values of a number as a line. */
class Sparkline {
  #values = []; #last; #line = svg("polyline", { points: "" });
  element = svg("svg", {
    class: "sparkline", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "No values yet",
      hidden: true,
  }, this.#line);

  /** Adds a value; `change` distinguishes it from the one before. */
  push(value, change) {
    if (typeof value !== "number" || change === this.#last) return;
    this.#last = change;
    this.#values = [...this.#values.slice(1 - most), value];
    this.#draw();
  }

  #draw() {
    const values = this.#values;
    this.element.toggleAttribute("hidden", values.length < 2);
    const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
    const step = (width - 2 * edge) / Math.max(1, values.length - 1);
    const y = (value) => (high === low ? height / 2 : height - edge - (value - low) / span * (height - 2 * edge));
    setAttribute(this.#line, "points", values.map((value, i) =>
      `${(edge + i * step).toFixed(1)},${y(value).toFixed(1)}`).join(" "));
    setAttribute(this.element, "aria-label", `${values.length} values, from ${low} to ${high}`);
  }
}

/** Used like `valueEditor`: `show` also draws the line. */
export function sensorField(given) {
  const line = new Sparkline(), slot = h("div");
  let editor = null, held = null, { node } = given;
  const open = () => {
    editor = valueEditor({ ...given, node });
    slot.append(editor.element);
    if (held) editor.show(held);
    button.remove();
    slot.querySelector("input, textarea, select, button")?.focus();
  };
  const button = h("button", { type: "button", class: "small",
    title: "This is usually set by a device or a program", onclick: open }, "Set by hand");
  const element = h("div", { class: "sensor" }, line.element, node.readOnly ? null : button, slot);
  return {
    element,
    show(entry, change = entry) {
      held = entry;
      line.push(entry.v, change);
      editor?.show(entry);
    },
    redefine(next) { node = next; editor?.redefine(next); },
    close() { editor?.close(); },
  };
}

/** The control for a mutable node: a field for a setting, a line for a sensor. */
export const inputFor = (given) => (given.node.role === "sensor" ? sensorField(given) : valueEditor(given));
