// <value-editor>: the field that a node's type asks for, and what became of what was sent, in `data-state`: clean, edited,
// sending, accepted, rejected, conflict or unknown; `data-off` while not connected.
import { h, setAttribute, setText, style } from "/lib/dom.js";
import { formatEntry, formatValue } from "/lib/format.js";
import { bounds, control, fieldText, parseInput, same } from "/lib/input.js";

style("/ui/editor.css");
let numbers = 0;

class ValueEditor extends HTMLElement {
  #given; #kind; #field; #slider = null; #send; #reset; #clear; #message; #choices;
  #entry = { empty: true }; #sent; #timer; #flying = false; #next; #away = new AbortController();

  /** See `valueEditor`. */
  begin(given) {
    this.#given = given;
    const { node, compact } = given;
    this.#kind = control(node);
    const id = `editor-${++numbers}`;
    this.#message = h("p", { class: "editor-message small", id: `${id}-message` });
    this.#field = this.#makeField(`${id}-message`);
    this.#send = h("button", { type: "submit", class: "primary" }, "Set");
    this.#reset = h("button", { type: "button", class: "quiet", onclick: () => this.#restore() }, "Undo");
    this.#clear = h("button", { type: "button", class: "quiet clear", title: "Make the node empty", onclick: () => this.#empty() }, "Clear");
    this.#choices = h("span", { class: "editor-choices" });
    if (this.#kind === "number" && node.min !== undefined && node.max !== undefined && (node.slider || !compact)) this.#slider = this.#makeSlider();
    this.append(h("form", { class: "editor", novalidate: true, onsubmit: (event) => { event.preventDefault(); this.#submit(); } },
      h("span", { class: "editor-row" }, this.#slider, this.#field, node.unit && h("span", { class: "dim" }, node.unit), this.#send, this.#reset,
        !compact && this.#clear),
      h("span", { class: "editor-row" }, this.#message, this.#choices)));
    this.addEventListener("keydown", (event) => this.#press(event));
    this.dataset.kind = this.#kind;
    addEventListener("connection", () => this.#connection(), { signal: this.#away.signal });
    this.#state("clean");
    this.#connection();
    return this;
  }

  end() {
    this.#away.abort();
    clearTimeout(this.#timer);
  }

  show(entry) {
    const before = this.#entry, { state } = this.dataset;
    this.#entry = entry;
    if (same(entry.v, before.v) && !!entry.empty === !!before.empty && this.#field.dataset.filled) return;
    if (state === "clean" || state === "accepted") {
      this.#fill();
      return this.#buttons();
    }
    // Anybody else's value is a surprise while something is being typed.
    if (state === "edited" || state === "rejected" || state === "conflict") {
      const typed = this.#read();
      if (!typed.error && same(typed.value, entry.v)) return this.#restore();
      this.#state("conflict", `Changed to ${formatEntry(entry, this.#given.node.unit)} by somebody else meanwhile.`, [
        ["Keep mine and set it", () => this.#submit()], ["Take theirs", () => this.#restore()],
      ]);
    }
  }

  #makeField(described) {
    const { node } = this.#given, label = `New value of ${node.title || node.name}`;
    const common = { "aria-label": label, "aria-describedby": described, oninput: () => this.#edited() };
    switch (this.#kind) {
    case "select":
      return h("select", { ...common, oninput: () => { this.#edited(); this.#submit(); } },
        h("option", { value: "", hidden: true }, "empty"),
        node.enum.map((value, i) => h("option", { value: String(i) }, formatValue(value))));
    case "switch":
      return h("button", {
        type: "button", role: "switch", class: "switch", "aria-label": label, "aria-describedby": described, "aria-checked": "false",
        onclick: () => this.#submit(!(this.#entry.v === true)),
      }, h("span", { class: "switch-knob" }));
    case "json": {
      const field = this.#given.recordField({ label, describedBy: described });
      field.addEventListener("input", common.oninput);
      return field;
    }
    case "area":
      return h("textarea", { ...common, rows: 3, spellcheck: "false" });
    default:
      return h("input", {
        ...common, type: "text", autocomplete: "off", spellcheck: "false", placeholder: "empty",
        inputmode: this.#kind !== "number" ? "text" : node.type === "integer" && node.min >= 0 ? "numeric" : "decimal",
      });
    }
  }

  /** A drag sends at most twenty values a second, and ends with the exact one. */
  #makeSlider() {
    const { node } = this.#given, step = node.type === "integer" ? 1 : "any";
    return h("input", {
      type: "range", min: node.min, max: node.max, step, "aria-label": `Slider for ${node.title || node.name}`, "aria-describedby": this.#message.id,
      oninput: () => {
        const value = node.type === "integer" ? Math.round(this.#slider.valueAsNumber) : Number(this.#slider.valueAsNumber.toPrecision(4));
        this.#field.value = fieldText(node, value);
        this.#drag(value);
      },
      onchange: () => this.#drag(parseInput(node, this.#field.value).value, true),
    });
  }

  #drag(value, last = false) {
    this.#next = { value, last };
    if (this.#flying) return;
    this.#flying = true;
    const go = async () => {
      const { value: now, last: exact } = this.#next;
      this.#next = null;
      const pause = new Promise((resolve) => setTimeout(resolve, 50));
      await this.#submit(now, !exact);
      await pause;
      if (this.#next && !this.#away.signal.aborted) return go();
      this.#flying = false;
    };
    go();
  }

  #read() {
    const { node } = this.#given;
    if (this.#kind === "switch") return { value: this.#entry.v === true };
    if (this.#kind === "select") {
      return this.#field.value === "" ? { error: "Choose a value" } : { value: node.enum[Number(this.#field.value)] };
    }
    return parseInput(node, this.#field.value);
  }

  #fill() {
    const { node } = this.#given, { v } = this.#entry, field = this.#field;
    field.dataset.filled = "yes";
    if (this.#kind === "switch") return setAttribute(field, "aria-checked", String(v === true));
    const text = this.#kind === "select" ? String(node.enum.findIndex((each) => same(each, v))).replace("-1", "") : fieldText(node, v);
    if (field.value !== text) field.value = text;
    if (this.#kind === "area") field.rows = Math.min(8, Math.max(1, text.split("\n").length));
    if (this.#slider && typeof v === "number") this.#slider.value = String(v);
  }

  #edited() {
    if (this.dataset.state === "sending") return;
    const typed = this.#read();
    this.#state(!typed.error && same(typed.value, this.#entry.v) ? "clean" : "edited");
  }

  #restore() {
    this.#fill();
    this.#state("clean");
  }

  #state(name, words = "", choices = []) {
    clearTimeout(this.#timer);
    this.dataset.state = name;
    setText(this.#message, words || (name === "clean" || name === "edited" ? bounds(this.#given.node) : ""));
    setAttribute(this.#field.control ?? this.#field, "aria-invalid", name === "rejected" ? "true" : null);
    this.#choices.replaceChildren(...choices.map(([label, act]) => h("button", { type: "button", class: "small", onclick: act }, label)));
    if (name === "accepted") this.#timer = setTimeout(() => this.dataset.state === "accepted" && this.#restore(), 4000);
    this.#buttons();
  }

  #buttons() {
    const { state } = this.dataset, off = "off" in this.dataset, typing = /edited|rejected|conflict|unknown/.test(state);
    const immediate = this.#kind === "switch" || this.#kind === "select";
    setAttribute(this.#send, "hidden", immediate || !(typing || state === "sending"));
    setAttribute(this.#reset, "hidden", !typing);
    setAttribute(this.#clear, "hidden", typing || !!this.#entry.empty);
    for (const button of [this.#send, this.#clear, ...this.#choices.children]) button.disabled = off || state === "sending";
    // A disabled field would lose the focus.
    if (immediate) this.#field.disabled = off;
    else this.#field.readOnly = off;
    if (this.#slider) this.#slider.disabled = off;
  }

  #connection() {
    const { name } = this.#given.client.state, off = name !== "live";
    if (off === ("off" in this.dataset)) return;
    if (off) {
      this.dataset.off = "";
      if (!/sending|unknown/.test(this.dataset.state)) setText(this.#message, "Not connected: nothing can be set");
    } else {
      delete this.dataset.off;
      if (!/sending|unknown|conflict|rejected/.test(this.dataset.state)) this.#state(this.dataset.state);
    }
    this.#buttons();
  }

  #press(event) {
    if (event.key === "Escape" && /edited|rejected|conflict/.test(this.dataset.state)) {
      event.preventDefault();
      event.stopPropagation();
      this.#restore();
      this.#field.focus();
    } else if (event.key === "Enter" && event.target.tagName === "TEXTAREA" && !event.shiftKey) {
      event.preventDefault();
      this.#submit();
    }
  }

  async #submit(value, isPassing = false) {
    if ("off" in this.dataset || (this.dataset.state === "sending" && !isPassing && !this.#flying)) return;
    if (value === undefined) {
      const typed = this.#read();
      if (typed.error) return this.#reject(typed.error);
      value = typed.value;
    }
    const { client, graph, node } = this.#given;
    const { v, empty } = this.#entry, condition = node.requireIfMatch ? { [node.name]: empty ? { empty } : { v } } : undefined;
    await this.#wait(() => client.set(`${graph}/${node.name}`, value, { if: condition }), value, isPassing);
  }

  #empty() {
    const { client, graph, node } = this.#given;
    return this.#wait(() => client.set(graph, {}, { clear: [node.name] }), undefined);
  }

  async #wait(act, value, isPassing = false) {
    this.#sent = value;
    this.#state("sending", "Sending…");
    try {
      const { rev } = await act();
      if (isPassing) return;
      // The update may come after the answer.
      if (value !== undefined && !same(value, this.#entry.v)) this.#entry = { v: value };
      this.#fill();
      this.#state("accepted", `Accepted, revision ${rev}`);
    } catch (error) {
      if (error.code !== "unknown-outcome") return this.#reject(`Not set: ${error.message}`);
      this.#state("unknown", "The connection broke before the server answered: it may have been set or not.", [
        ["Repeat safely", () => this.#wait(error.repeat, value)], ["Leave it", () => this.#restore()],
      ]);
    }
  }

  #reject(words) {
    if (this.#kind === "switch" || this.#kind === "select") this.#fill();
    this.#state("rejected", words);
    this.#given.announce?.(`${this.#given.node.title || this.#given.node.name}: ${words}`, { assertive: true });
    if (this.#kind !== "switch") this.#field.focus();
  }
}

customElements.define("value-editor", ValueEditor);

/** `node` is its entry of a picture or `topo`; call `show` with `{v}`, `{empty}` or `{fail}` at every change; `compact` leaves the slider out. */
export function valueEditor(given) {
  const element = document.createElement("value-editor");
  let entry = null, state = "waiting";
  const begin = (recordField) => {
    if (state === "closed") return;
    element.begin({ ...given, recordField });
    state = "open";
    if (entry) element.show(entry);
  };
  // Few nodes hold records.
  if (control(given.node) === "json") import("/ui/record-field.js").then((module) => begin(module.recordField), () => element.append("The field did not load"));
  else begin();
  return {
    element,
    show: (next) => (state === "open" ? element.show(next) : (entry = next)),
    close() {
      if (state === "open") element.end();
      state = "closed";
    },
  };
}
