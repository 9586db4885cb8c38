// <value-editor>: the field for a node's type, and the result of sending, in `data-state`: clean,
// edited, sending, accepted, rejected, conflict or unknown; `data-off` while not connected.
import { h, load, setAttribute, setText, style } from "/lib/dom.js";
import { formatEntry, formatValue, same } from "/lib/format.js";
import { bounds, choicesOf, control, fieldText } from "/lib/input.js";
import { Sending } from "./sending.js";

style("/ui/editor.css");
let numbers = 0;

/** The parts of a definition that affect the field: when they change, the field is made again. */
const rulesOf = ({ type, title, unit, min, max, minLength, maxLength, pattern, enum: choices, words, slider,
  requireIfMatch, confirm }) => JSON.stringify([type, title, unit, min, max, minLength, maxLength, pattern, choices,
  words, slider, requireIfMatch, confirm]);

class ValueEditor extends HTMLElement {
  entry = { empty: true }; away = new AbortController();
  #send; #reset; #clear; #message; #choices; #word; #timer; #sending = new Sending(this); #rules = "";

  /** See `valueEditor`. */
  begin(given) {
    this.given = given;
    this.#build();
    this.addEventListener("keydown", (event) => this.#press(event));
    this.tabIndex = -1;
    addEventListener("connection", () => this.#connection(), { signal: this.away.signal });
    this.state("clean");
    this.#connection();
    return this;
  }

  /** The node's definition has changed: unsent input stays, under the new rules. */
  redefine(node) {
    if (rulesOf(node) === this.#rules) return;
    const { state } = this.dataset, typed = this.field.value, focused = this.contains(document.activeElement);
    const keeps = /edited|rejected|conflict/.test(state) && control(node) === control(this.given.node);
    this.given = { ...this.given, node };
    this.slider = undefined;
    this.#build();
    this.fill();
    this.state("clean");
    if (keeps) {
      this.field.value = typed;
      this.#sending.edited(typed);
    }
    if (focused) this.field.focus();
  }

  #build() {
    const { node, compact } = this.given;
    this.#rules = rulesOf(node);
    this.kind = control(node);
    const id = `editor-${++numbers}`;
    this.#message = h("p", { class: "editor-message small", id: `${id}-message` });
    this.field = this.#makeField(`${id}-message`);
    this.#send = h("button", { type: "submit", class: "primary" }, "Set");
    this.#reset = h("button", { type: "button", class: "quiet", onclick: () => this.restore() }, "Undo");
    this.#clear = h("button", { type: "button", class: "quiet clear", title: "Make the node empty",
      onclick: () => this.#sending.empty() }, "Clear");
    this.#choices = h("span", { class: "editor-choices" });
    // A press on the word is one on its switch.
    this.#word = this.kind === "switch" && h("span", { class: "switch-word", onclick: () => this.field.click() }, "");
    if (this.kind === "number" && node.min !== undefined && node.max !== undefined
      && (node.slider || !compact)) this.slider = this.#makeSlider();
    const submit = (event) => { event.preventDefault(); this.#sending.submitText(); };
    this.replaceChildren(h("form", { class: "editor", novalidate: true, onsubmit: submit },
      h("span", { class: "editor-row" }, this.slider, this.field, this.#word, node.unit && h("span", { class: "dim" }, node.unit),
        this.#send, this.#reset,
        !compact && this.#clear),
      h("span", { class: "editor-row" }, this.#message, this.#choices)));
    this.dataset.kind = this.kind;
  }

  end() {
    this.away.abort();
    clearTimeout(this.#timer);
  }

  show({ v, empty, fail }) {
    const before = this.entry, { state } = this.dataset;
    // A copy, because the caller's object may change in place.
    const entry = this.entry = fail ? { fail } : empty || v === undefined ? { empty: true } : { v };
    if (same(entry.v, before.v) && !!entry.empty === !!before.empty && this.isFilled) return;
    if (state === "clean" || state === "accepted") {
      this.fill();
      return this.#buttons();
    }
    if (/edited|rejected|conflict/.test(state)) this.#sending.surprise();
  }

  #makeField(described) {
    const { node } = this.given, label = `New value of ${node.title || node.name}`;
    const common = { "aria-label": label, "aria-describedby": described,
      oninput: () => this.#sending.edited(this.field.value) };
    switch (this.kind) {
    case "select":
      return h("select", { ...common, oninput: () => this.#sending.submitText() },
        h("option", { value: "", hidden: true }, "empty"),
        choicesOf(node).map((value, i) => h("option", { value: String(i) }, formatValue(value, "", node.words))));
    case "switch":
      return h("button", {
        type: "button", role: "switch", class: "switch", "aria-label": label, "aria-describedby": described,
          "aria-checked": "false",
        onclick: () => this.#sending.submit(!(this.entry.v === true)),
      }, h("span", { class: "switch-knob" }));
    case "json": {
      const field = this.given.recordField({ label, describedBy: described });
      field.addEventListener("input", common.oninput);
      return field;
    }
    case "area":
      return h("textarea", { ...common, rows: 3, spellcheck: "false" });
    default:
      return h("input", {
        ...common, type: "text", autocomplete: "off", spellcheck: "false", placeholder: "empty",
        inputmode: this.kind !== "number" ? "text" : node.type === "integer" && node.min >= 0 ? "numeric" : "decimal",
      });
    }
  }

  #makeSlider() {
    const { node } = this.given, slide = (isLast) => () => this.#sending.slide(this.slider.valueAsNumber, isLast);
    return h("input", {
      type: "range", min: node.min, max: node.max, step: node.type === "integer" ? 1 : "any",
        "aria-label": `Slider for ${node.title || node.name}`,
      "aria-describedby": this.#message.id, oninput: slide(false), onchange: slide(true),
    });
  }

  fill() {
    const { node } = this.given, { v } = this.entry;
    let { field } = this;
    this.isFilled = true;
    if (this.kind === "switch") {
      setText(this.#word, formatEntry(this.entry, "", node.words));
      return setAttribute(field, "aria-checked", String(v === true));
    }
    // A field of one line would lose line ends.
    if (this.kind === "text" && /\n/.test(v)) {
      const had = document.activeElement === field;
      this.kind = this.dataset.kind = "area";
      field.replaceWith(this.field = this.#makeField(this.#message.id));
      field = this.field;
      if (had) field.focus();
    }
    const text = this.kind === "select" ? String(choicesOf(node).findIndex((each) => same(each, v))).replace("-1", "")
      : fieldText(node, v);
    if (field.value !== text) field.value = text;
    if (this.kind === "area") field.rows = Math.min(8, Math.max(1, text.split("\n").length));
    if (this.slider && typeof v === "number") this.slider.value = String(v);
  }

  /** Sends what is in the field. */
  submit() { this.#sending.submitText(); }

  restore() {
    this.fill();
    this.state("clean");
  }

  state(name, words = "", choices = []) {
    const focused = this.contains(document.activeElement) && document.activeElement;
    clearTimeout(this.#timer);
    this.dataset.state = name;
    setText(this.#message, words || (name === "clean" || name === "edited" ? bounds(this.given.node) : ""));
    setAttribute(this.field.control ?? this.field, "aria-invalid", name === "rejected" ? "true" : null);
    this.#choices.replaceChildren(...choices.map(([label, act]) =>
      h("button", { type: "button", class: "small", onclick: act }, label)));
    if (name === "accepted") this.#timer = setTimeout(() => this.dataset.state === "accepted" && this.restore(), 4000);
    this.#buttons(focused);
  }

  #buttons(focused = this.contains(document.activeElement) && document.activeElement) {
    const { state } = this.dataset, off = "off" in this.dataset,
      typing = /edited|rejected|conflict|unknown/.test(state);
    const immediate = this.kind === "switch" || this.kind === "select";
    setAttribute(this.#send, "hidden", immediate || !(typing || state === "sending"));
    setAttribute(this.#reset, "hidden", !typing);
    setAttribute(this.#clear, "hidden", typing || !!this.entry.empty);
    for (const button of [this.#send, this.#clear, ...this.#choices.children]) button.disabled = off
      || state === "sending";
    // A disabled field would lose the focus.
    if (immediate) this.field.disabled = off;
    else this.field.readOnly = off;
    if (this.slider) this.slider.disabled = off;
    // The focused control may be gone or disabled.
    if (focused && (!this.contains(focused) || focused.disabled || focused.hidden)) this.focus();
  }

  #connection() {
    // Why nothing can be set is said once for the page, not beside each field.
    this.toggleAttribute("data-off", this.given.client.state.name !== "live");
    this.#buttons();
  }

  #press(event) {
    // These keys are the input method's.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape" && /edited|rejected|conflict/.test(this.dataset.state)) {
      event.preventDefault();
      event.stopPropagation();
      this.restore();
      this.field.focus();
    } else if (event.key === "Enter" && event.target.tagName === "TEXTAREA" && !event.shiftKey) {
      event.preventDefault();
      this.#sending.submitText();
    }
  }
}

customElements.define("value-editor", ValueEditor);

/**
 * `node` is its entry of a picture or `topo`; call `show` with `{v}`, `{empty}` or `{fail}` at
 * every change, and `redefine` with the node's new entry when the graph's definition may have
 * changed. `compact` leaves the slider out. Of a node that this client may not set there is a note
 * instead of a field.
 */
export function valueEditor(given) {
  if (given.node.readOnly) return readOnly();
  const element = document.createElement("value-editor");
  let entry = null, state = "waiting";
  const begin = (recordField) => {
    if (state === "closed") return;
    element.begin({ ...given, recordField });
    state = "open";
    if (entry) element.show(entry);
  };
  // Few nodes hold records.
  if (control(given.node) === "json") load("/ui/record-field.js").then((module) => begin(module.recordField),
    () => element.append("The field did not load"));
  else begin();
  return {
    element,
    show: (next) => (state === "open" ? element.show(next) : (entry = { ...next })),
    redefine: (node) => (state === "open" ? element.redefine(node) : (given = { ...given, node })),
    close() {
      if (state === "open") element.end();
      state = "closed";
    },
  };
}

function readOnly() {
  const element = h("p", { class: "read-only small dim" }, "Read-only: you may see this value, not set it.");
  return { element, show() {}, redefine() {}, close() {} };
}
