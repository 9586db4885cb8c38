// One node on the page: a card with a sparkline for what is derived, a table row with a field for what can be set.
import { Sparkline } from "/sparkline.js";
import { format } from "/format.js";

const pending = new Set();
let scheduled = false;

/** All that changed is drawn once per animation frame, however many updates came. */
function draw(view) {
  pending.add(view);
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    for (const each of pending) each.draw();
    pending.clear();
  });
}

export class NodeView {
  #value = document.createElement("p"); #text = document.createTextNode("");
  #spark = null; #form = null; #latest = { empty: true }; #stop; #node;

  constructor(connection, graph, node, element) {
    this.element = element;
    this.#node = node;
    this.#value.className = "value empty";
    this.#value.dataset.node = node.name;
    this.#value.append(this.#text);
    this.#stop = connection.subscribe(graph, node.name, (entry, message) => {
      this.#latest = entry;
      if (typeof entry.v === "number") this.#spark?.add(message.t, entry.v);
      draw(this);
    });
  }

  static card(connection, graph, node) {
    const element = document.createElement("section");
    element.className = "card";
    const view = new NodeView(connection, graph, node, element);
    view.#spark = new Sparkline();
    const heading = document.createElement("div");
    heading.textContent = node.title || node.name;
    const name = document.createElement("div");
    name.className = "name";
    name.textContent = node.name;
    element.append(heading, view.#value, view.#spark.element, name);
    return view;
  }

  static row(connection, graph, node) {
    const element = document.createElement("tr");
    const view = new NodeView(connection, graph, node, element);
    const name = element.insertCell();
    name.textContent = node.title ? `${node.title} (${node.name})` : node.name;
    element.insertCell().append(view.#value);
    element.insertCell().append(view.#makeForm(connection, graph));
    return view;
  }

  close() { this.#stop(); }

  enable(isLive) {
    for (const control of this.#form?.elements ?? []) control.disabled = !isLive;
  }

  draw() {
    const { v, empty, fail } = this.#latest;
    const text = fail ? `failed: ${fail.msg}` : empty ? "empty" : format(v, this.#node.unit);
    if (this.#text.data !== text) this.#text.data = text;
    this.#value.className = `value${fail ? " fail" : empty ? " empty" : text.length > 12 ? " long" : ""}`;
    this.#spark?.draw();
  }

  #makeForm(connection, graph) {
    const form = document.createElement("form");
    const field = document.createElement("input");
    field.setAttribute("aria-label", `New value of ${this.#node.name}`);
    field.placeholder = "JSON, or text";
    const button = document.createElement("button");
    button.textContent = "Set";
    const answer = document.createElement("output");
    form.append(field, button, answer);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      let value = field.value;
      try { value = JSON.parse(field.value); } catch { /* plain text stays a string */ }
      try {
        const { rev } = await connection.set(graph, this.#node.name, value);
        field.removeAttribute("aria-invalid");
        field.value = "";
        answer.className = "";
        answer.textContent = `accepted, rev ${rev}`;
      } catch (error) {
        field.setAttribute("aria-invalid", "true");
        answer.className = "rejected";
        answer.textContent = error.message;
      }
    });
    this.#form = form;
    return form;
  }
}
