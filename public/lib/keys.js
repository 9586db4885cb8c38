// Single keys and short sequences ("g d"). They act only while no field has the focus, and can be switched off (WCAG 2.1.4).

const stored = "sluice.keys";

const isField = (element) =>
  element instanceof HTMLElement
  // Until a closed dialog is gone, the focus may still be in it.
  && !element.closest("dialog:not([open])")
  && (element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) || element.closest("dialog[open]"));

export class Keys {
  #bindings = new Map();
  #first = "";
  #timer;

  constructor() { addEventListener("keydown", (event) => this.#press(event)); }

  get enabled() {
    try { return localStorage.getItem(stored) !== "off"; } catch { return true; }
  }

  set enabled(enabled) {
    try { enabled ? localStorage.removeItem(stored) : localStorage.setItem(stored, "off"); } catch { /* not kept */ }
  }

  /** Binds `key` ("f", "?", "Escape", "g d") to `action(event)`, until `signal` aborts. The newest binding of a key acts. */
  bind(key, label, action, { signal, group = "Everywhere" } = {}) {
    if (signal?.aborted) return;
    const binding = { key, label, action, group };
    const all = this.#bindings.get(key) ?? [];
    this.#bindings.set(key, all);
    all.push(binding);
    signal?.addEventListener("abort", () => all.splice(all.indexOf(binding), 1), { once: true });
  }

  /** What is bound, for the page of help: `[{ group, key, label }]`. */
  list() { return [...this.#bindings.values()].flatMap((all) => all.slice(-1)); }

  #press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    if (!this.enabled && event.key.length === 1) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const sequence = this.#first ? `${this.#first} ${key}` : key;
    clearTimeout(this.#timer);
    this.#first = "";
    const binding = (this.#bindings.get(sequence) ?? this.#bindings.get(key))?.at(-1);
    if (binding) {
      event.preventDefault();
      binding.action(event);
    } else if ([...this.#bindings].some(([each, all]) => all.length && each.startsWith(`${key} `))) {
      this.#first = key;
      this.#timer = setTimeout(() => (this.#first = ""), 3000);
    }
  }
}
