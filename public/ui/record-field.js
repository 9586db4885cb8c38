// <record-field>: JSON as text, and for a flat record a form of its members, with a button to
// switch. It behaves as a field: `value` is JSON text, `input` events report changes, `readOnly`
// keeps the focus.
import { decode, encode } from "/client.js";
import { h } from "/lib/dom.js";
import { same } from "/lib/format.js";

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Whether a form helps: a handful of entries, none of them deep. */
export const suitsForm = (value) => isRecord(value) && Object.keys(value).length > 0 && Object.keys(value).length <= 24
  && Object.values(value).every((each) => each === null || typeof each !== "object" || Object.keys(each).length < 9);

class RecordField extends HTMLElement {
  #text; #form = h("div", { class: "record" }); #toggle; #label; #asForm = null; #fields = new Map(); #value;
  #readOnly = false;

  begin({ label, describedBy }) {
    this.#label = label;
    this.#text = h("textarea", { rows: 1, spellcheck: "false", placeholder: "JSON", "aria-label": label,
      "aria-describedby": describedBy });
    this.#toggle = h("button", { type: "button", class: "quiet small", hidden: true, onclick: () => this.#turn() });
    this.append(this.#text, this.#form, this.#toggle);
    this.#form.hidden = true;
    return this;
  }

  /** The element for the focus and for the mark of a wrong input. */
  get control() { return this.#asForm ? this.#form.querySelector("input") : this.#text; }
  focus() { if (!this.contains(document.activeElement)) this.control?.focus(); }

  get value() { return this.#asForm ? this.#read() : this.#text.value; }
  set value(text) {
    let value;
    try { value = decode(text); } catch { /* it is shown as text */ }
    this.#toggle.hidden = !suitsForm(value);
    this.#text.value = text;
    this.#text.rows = Math.min(8, Math.max(1, text.split("\n").length));
    this.#show(suitsForm(value) && this.#asForm !== false ? value : null);
  }

  set rows(_) { /* the text decides */ }
  get readOnly() { return this.#readOnly; }
  set readOnly(readOnly) {
    this.#readOnly = readOnly;
    for (const field of this.querySelectorAll("textarea, input")) {
      if (field.type === "checkbox") field.disabled = readOnly;
      else field.readOnly = readOnly;
    }
  }

  /** From form to text and back, with what has been typed so far. */
  #turn() {
    const text = this.value;
    let value;
    try { value = decode(text); } catch { return; }
    if (!this.#asForm && !suitsForm(value)) return;
    const toForm = !this.#asForm;
    this.#asForm = toForm ? true : false;
    this.#text.value = encode(value, 2);
    this.#text.rows = Math.min(8, this.#text.value.split("\n").length);
    this.#show(toForm ? value : null);
    this.control.focus();
  }

  #show(value) {
    if (this.#asForm !== false) this.#asForm = value ? true : null;
    this.#text.hidden = !!value;
    this.#form.hidden = !value;
    this.#toggle.textContent = value ? "As JSON" : "As a form";
    if (!value) return;
    const keys = Object.keys(value);
    if (!this.#value || !same(keys, [...this.#fields.keys()])
      || keys.some((key) => typeof value[key] !== typeof this.#value[key])) this.#build(value);
    this.#value = value;
    for (const [key, field] of this.#fields) {
      const each = value[key];
      if (typeof each === "boolean") field.checked = each;
      else field.value = typeof each === "string" ? each : encode(each);
    }
    this.readOnly = this.#readOnly;
  }

  #build(value) {
    this.#fields = new Map(Object.entries(value).map(([key, each]) => [key, typeof each === "boolean"
      ? h("input", { type: "checkbox", "aria-label": `${this.#label}: ${key}` })
      : h("input", { type: "text", autocomplete: "off", spellcheck: "false",
        inputmode: typeof each === "number" ? "decimal" : "text", "aria-label": `${this.#label}: ${key}` })]));
    this.#form.replaceChildren(...[...this.#fields].map(([key, field]) =>
      h("label", {}, h("span", { class: "small" }, key), field)));
  }

  /**
   * The form's content as JSON: texts stay texts, everything else is JSON, and invalid members make
   * the whole invalid.
   */
  #read() {
    const entries = [...this.#fields].map(([key, field]) => {
      const before = this.#value[key];
      const text = typeof before === "boolean" ? String(field.checked) : typeof before === "string"
        ? encode(field.value) : field.value.trim() || "?";
      return `${encode(key)}:${text}`;
    });
    return `{${entries}}`;
  }
}

customElements.define("record-field", RecordField);

export const recordField = (given) => document.createElement("record-field").begin(given);
