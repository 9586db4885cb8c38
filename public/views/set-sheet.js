// The sheet in which a small screen sets a value: larger and smaller by buttons, or typed.
import { h, setText } from "/lib/dom.js";
import { formatEntry } from "/lib/format.js";
import { control } from "/lib/input.js";
import { stepped } from "/lib/steps.js";
import { inputFor } from "/ui/sensor.js";

/** Presses so soon after each other (ms) are sent as one value. */
const together = 400;

/** Opens the sheet; `show` is called with every entry until it resolves `closed`. */
export function openSheet({ client, announce, dialogs }, graph, node) {
  const input = inputFor({ client, announce, node, graph, compact: false }), value = h("output", { "aria-live": "off" });
  let entry = {}, timer;
  const press = (by) => {
    const field = input.element.querySelector("input[type=text]");
    field.value = stepped(node, Number(field.value || entry.v || 0), by);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    clearTimeout(timer);
    timer = setTimeout(() => input.element.submit(), together);
  };
  const button = (sign, label, by) => h("button", { type: "button", class: "sheet-step", "aria-label": label,
    onclick: () => press(by) }, sign);
  const isStepped = control(node) === "number" && node.role !== "sensor";
  const closed = dialogs.open({
    title: node.title || node.name, sheet: true,
    body: h("div", { class: "field in-views" }, h("p", { class: "sheet-value" }, isStepped && button("−", "Less", -1), value,
      isStepped && button("+", "More", 1)), input.element),
    actions: [{ label: "Done", value: null }],
  }).then(() => {
    // What was pressed last is sent also if the sheet is closed at once.
    if (timer && input.element.dataset.state === "edited") input.element.submit();
    clearTimeout(timer);
    input.close();
  });
  return {
    closed,
    show(next, at) {
      entry = next;
      setText(value, formatEntry(next, node.unit, node.words));
      input.show(next, at);
    },
  };
}
