// From the input in a <value-editor> to a value that is sent, and its result.
import { load } from "/lib/dom.js";
import { formatEntry, same } from "/lib/format.js";
import { choicesOf, fieldText, parseInput } from "/lib/input.js";

export class Sending {
  #editor; #flying = false; #next;

  constructor(editor) { this.#editor = editor; }

  get #name() { return this.#editor.dataset.state; }

  #read(text = this.#editor.field.value) {
    const { entry, given: { node }, kind } = this.#editor;
    if (kind === "switch") return { value: entry.v === true };
    if (kind === "select") return text === "" ? { error: "Choose a value" } : { value: choicesOf(node)[Number(text)] };
    return parseInput(node, text);
  }

  edited(text) {
    if (this.#name === "sending") return;
    const typed = this.#read(text);
    this.#editor.state(!typed.error && same(typed.value, this.#editor.entry.v) ? "clean" : "edited");
  }

  /** Values from other clients conflict with what is being typed. */
  surprise() {
    const editor = this.#editor, { entry } = editor, typed = this.#read();
    if (!typed.error && same(typed.value, entry.v)) return editor.restore();
    editor.state("conflict", `Changed to ${formatEntry(entry, editor.given.node.unit, editor.given.node.words)} by somebody else meanwhile.`, [
      ["Keep mine and set it", () => this.submitText()], ["Take theirs", () => editor.restore()],
    ]);
  }

  slide(number, isLast) {
    const { field, given: { node } } = this.#editor, { min, max } = node;
    // About five hundred steps, in round numbers.
    const step = node.type === "integer" ? 1 : 10 ** Math.floor(Math.log10((max - min) / 500)) || 1;
    const value = Math.min(max, Math.max(min, Number((Math.round(number / step) * step).toPrecision(12))));
    field.value = fieldText(node, value);
    this.latest(value, isLast);
  }

  /** Of several in a row at most twenty a second are sent, and the last of them exactly. */
  latest(value, last = true) {
    this.#next = { value, last };
    if (this.#flying) return;
    this.#flying = true;
    const go = async () => {
      const { value: now, last: exact } = this.#next;
      this.#next = null;
      const pause = new Promise((resolve) => setTimeout(resolve, 50));
      await this.submit(now, !exact);
      await pause;
      if (this.#next && !this.#editor.away.signal.aborted) return go();
      this.#flying = false;
    };
    go();
  }

  submitText(text = this.#editor.field.value) {
    if (!this.#takes()) return;
    const { value, error } = this.#read(text);
    if (error) return this.#reject(error);
    // Arrow keys in a list of choices are as fast as a slider.
    return this.#editor.kind === "select" ? this.latest(value) : this.submit(value, false, text);
  }

  #takes(isPassing) { return !("off" in this.#editor.dataset)
    && (this.#name !== "sending" || isPassing || this.#flying); }

  async submit(value, isPassing = false, text = this.#editor.field.value) {
    const editor = this.#editor, { given: { client, graph, node } } = editor;
    // Of a drag only the end is asked about.
    if (!this.#takes(isPassing) || (node.confirm && (isPassing || !await this.#confirms({ v: value })))) return;
    const { v, empty } = editor.entry;
    const condition = node.requireIfMatch ? { [node.name]: empty ? { empty } : { v } } : undefined;
    await this.#wait(() => client.set(`${graph}/${node.name}`, value, { if: condition, hand: true }), value,
      isPassing, text);
  }

  async empty() {
    const { client, graph, node } = this.#editor.given;
    if (node.confirm && !await this.#confirms({ empty: true })) return;
    return this.#wait(() => client.set(graph, {}, { clear: [node.name] }), undefined);
  }

  /** Asks whether the node is to get `next`. What was typed stays after a no. */
  async #confirms(next) {
    const editor = this.#editor, { away: { signal }, given: { node } } = editor;
    try {
      const { ask } = await load("/ui/confirm.js"), answer = await ask(node, () => editor.entry, next, signal);
      if (answer || signal.aborted) return answer && !signal.aborted;
      if (/text|area|json/.test(editor.kind)) this.edited(editor.field.value);
      else editor.restore();
    } catch ({ message }) {
      this.#reject(`Not set: ${message}`);
    }
    return false;
  }

  /** `text` was in the field when the set was requested. */
  async #wait(act, value, isPassing = false, text = this.#editor.field.value) {
    const editor = this.#editor;
    editor.state("sending", "Sending…");
    try {
      const { rev } = await act();
      if (isPassing || this.#next) return;
      // The update may come after the answer.
      if (value !== undefined && !same(value, editor.entry.v)) editor.entry = { v: value };
      if (editor.field.value !== text) return editor.state("edited",
        `Accepted, revision ${rev}; what has been typed since is not set yet`);
      editor.fill();
      editor.state("accepted", `Accepted, revision ${rev}`);
    } catch (error) {
      if (error.code !== "unknown-outcome") return this.#reject(`Not set: ${error.message}`);
      editor.state("unknown", "The connection broke before the server answered: it may have been set or not.", [
        ["Repeat safely", () => this.#wait(error.repeat, value)], ["Leave it", () => editor.restore()],
      ]);
    }
  }

  #reject(words) {
    const { field, given: { announce, node }, kind } = this.#editor;
    if (kind === "switch" || kind === "select") this.#editor.fill();
    this.#editor.state("rejected", words);
    announce?.(`${node.title || node.name}: ${words}`, { assertive: true });
    if (kind !== "switch") field.focus();
  }
}
