// What sets a node on a tablet on a wall: a tile to tap, segments, or − and + with a slider. What
// was asked for is shown at once; in `data-state`, as of a <value-editor>, is what became of it.
import { h, setAttribute, setText } from "/lib/dom.js";
import { choicesOf, control, fieldText } from "/lib/input.js";
import { stepOf, stepped } from "/lib/steps.js";
import { formatEntry, formatValue, same } from "/lib/format.js";
import { Sending } from "/ui/sending.js";
import { Figure } from "/dash/tile.js";

/** Presses so soon after each other (ms) are sent as one value. */
const together = 400;
/** How long (ms) it is shown that a value was refused. */
const told = 10_000;
/** The most segments beside each other. */
const mostSegments = 6;

/** "switch", "select", "number", or undefined where a field with a keyboard is needed. */
export function touchKind(node) {
  const kind = control(node);
  return kind === "select" && choicesOf(node).length > mostSegments ? undefined : /switch|select|number/.exec(kind)?.[0];
}

export class TouchControl {
  // What `Sending` needs of an editor. No text is typed, so the field stands for the last number.
  entry = { empty: true }; away = new AbortController(); field = { value: "", focus() {} };
  element = h("div", { class: "touch" });
  #sending = new Sending(this); #wanted; #due; #told; #buttons = []; #draw; #focused;
  #message = h("p", { class: "touch-message small" });

  /** `given`: as of `valueEditor`, and the `tile` around it. */
  constructor(given) {
    this.given = given;
    this.kind = touchKind(given.node);
    const parts = { switch: () => this.#switch(), select: () => this.#segments(), number: () => this.#number() };
    this.element.append(...parts[this.kind](), this.#message);
    this.dataset.kind = this.kind;
    const connected = () => this.#connection();
    addEventListener("connection", connected, { signal: this.away.signal });
    this.restore();
    connected();
  }

  get dataset() { return this.element.dataset; }
  get #title() { return this.given.node.title || this.given.node.name; }

  show({ v, empty, fail }) {
    this.entry = fail ? { fail } : empty || v === undefined ? { empty: true } : { v };
    this.fill();
  }

  /** What the definition says now counts from the next set; another control needs a reload. */
  redefine(node) { this.given.node = node; }

  close() {
    this.away.abort();
    clearTimeout(this.#due);
    clearTimeout(this.#told);
  }

  fill() {
    const isWanted = this.#wanted !== undefined && /sending|edited/.test(this.dataset.state);
    this.#draw(isWanted ? { v: this.#wanted } : this.entry);
  }

  restore() { this.state("clean"); }

  state(name, words = "") {
    const { announce } = this.given;
    clearTimeout(this.#told);
    this.dataset.state = name;
    setAttribute(this.element, "aria-busy", name === "sending" && "true");
    if (!/sending|edited/.test(name)) this.#wanted = undefined;
    setText(this.#message, /rejected|unknown/.test(name) ? words : "");
    if (name === "rejected") this.#told = setTimeout(() => this.restore(), told);
    this.fill();
    if (name === "unknown") announce(`${this.#title}: ${words}`, { assertive: true });
    if (name === "accepted" && this.kind === "number") announce(`${this.#title}: ${this.#words(this.entry)}`);
  }

  #words(entry) { return formatEntry(entry, this.given.node.unit, this.given.node.words); }

  #connection() {
    const isOff = this.given.client.state.name !== "live", focused = document.activeElement;
    this.element.toggleAttribute("data-off", isOff);
    if (isOff && this.element.contains(focused)) this.#focused = focused;
    for (const each of this.#buttons) each.disabled = isOff;
    clearTimeout(isOff && this.#due);
    // After an outage the values say what became of it.
    if (this.dataset.state === (isOff ? "edited" : "unknown")) this.restore();
    this.fill();
    if (isOff) return;
    // What is disabled has lost the focus.
    if (focused === document.body) this.#focused?.focus();
    this.#focused = undefined;
  }

  #set(value) {
    this.#wanted = value;
    this.#sending.latest(value);
  }

  /** The whole tile is the switch. */
  #switch() {
    const { node, tile } = this.given, figure = new Figure();
    const button = h("button", { type: "button", role: "switch", class: "touch-switch", "aria-label": this.#title },
      figure.element, h("span", { class: "touch-knob", "aria-hidden": "true" }));
    this.#buttons = [button];
    tile.element.toggleAttribute("data-tap", true);
    tile.element.addEventListener("click", () => button.disabled || this.#set((this.#wanted ?? this.entry.v) !== true),
      { signal: this.away.signal });
    this.#draw = (entry) => {
      figure.show(entry, "", node.words);
      setAttribute(button, "aria-checked", String(entry.v === true));
    };
    return [button];
  }

  /** Arrow keys go from one to the next; only a press sets: "off" may be on the way to another. */
  #segments() {
    const { node } = this.given, choices = choicesOf(node);
    this.#buttons = choices.map((value) =>
      h("button", { type: "button", role: "radio", onclick: () => this.#set(value) },
        formatValue(value, node.unit, node.words)));
    const step = (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key], all = this.#buttons;
      if (!by) return;
      event.preventDefault();
      all.at((all.indexOf(document.activeElement) + by) % all.length).focus();
    };
    this.#draw = (entry) => {
      const chosen = choices.findIndex((each) => same(each, entry.v));
      this.#buttons.forEach((each, i) => {
        setAttribute(each, "aria-checked", String(i === chosen));
        setAttribute(each, "tabindex", i === Math.max(0, chosen) ? "0" : "-1");
      });
    };
    return [h("div", { class: "segments", role: "radiogroup", "aria-label": this.#title, onkeydown: step },
      this.#buttons)];
  }

  #number() {
    const { node } = this.given, { min, max } = node, figure = new Figure();
    const button = (sign, label, by) => h("button", { type: "button", class: "touch-step",
      "aria-label": `${this.#title}: ${label}`, onclick: () => this.#press(by) }, sign);
    const less = button("−", "less", -1), more = button("+", "more", 1);
    let isHeld = false;
    // There is no `change` where a drag ends where it began.
    const slide = (isLast) => () => {
      if (isLast && !isHeld) return;
      isHeld = !isLast;
      clearTimeout(this.#due);
      this.#wanted = slider.valueAsNumber;
      this.state("edited");
      this.#sending.slide(slider.valueAsNumber, isLast);
    };
    const slider = max > min && h("input", { type: "range", min, max, step: stepOf(node, 0), "aria-label": this.#title,
      oninput: slide(false), onchange: slide(true), onpointerup: slide(true), onpointercancel: slide(true) });
    this.#buttons = [less, more, slider].filter(Boolean);
    this.#draw = (entry) => {
      figure.show(entry, node.unit, node.words);
      const v = Number(entry.v ?? NaN), isOff = this.element.hasAttribute("data-off");
      less.disabled = isOff || v <= min;
      more.disabled = isOff || v >= max;
      if (!slider) return;
      if (v === v && !isHeld) slider.value = String(v);
      setAttribute(slider, "aria-valuetext", this.#words(entry));
      slider.style.setProperty("--at", String(Math.min(1, Math.max(0, (v - min) / (max - min))) || 0));
    };
    return [less, figure.element, more, slider || ""];
  }

  #press(by) {
    const { node } = this.given, from = this.#wanted ?? this.entry.v ?? node.min ?? 0;
    const next = stepped(node, Number(from), by);
    this.#wanted = next;
    this.field.value = fieldText(node, next);
    this.state("edited");
    clearTimeout(this.#due);
    this.#due = setTimeout(() => this.#set(next), together);
  }
}
