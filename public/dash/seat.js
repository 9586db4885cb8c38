// A seat among the nodes of a widget: this person's name, which the server clears with the connection.

export class Seat {
  /** The node that is held, or null. */
  node = null;
  #given;

  constructor(given) {
    this.#given = given;
    let wasLive = true;
    given.page.store.listen("state", ({ name }) => {
      // The seat went with the connection.
      if (name === "live" && !wasLive && this.node) {
        this.node = null;
        setTimeout(() => !given.signal.aborted && this.#join(), 300);
      }
      wasLive = name === "live";
    }, given.signal);
  }

  toggle() {
    if (this.node) this.leave();
    else this.#join();
  }

  /** Takes the first seat that is empty; whoever was faster has it, and the next one is tried. */
  async #join() {
    const { feeds, page, graph, stored, field, problem, change } = this.#given, name = field.value.trim();
    if (!name) return void field.focus();
    try { localStorage.setItem(stored, name); } catch { /* nothing is kept */ }
    for (const { entry, node } of feeds) {
      if (typeof entry?.v === "string") continue;
      try {
        await page.client.set(`${graph}/${node}`, name, { presence: true, if: { [node]: { empty: true } } });
        this.node = node;
        problem.textContent = "";
        return change();
      } catch (error) {
        if (error.code !== "conflict") return void (problem.textContent = error.message);
      }
    }
    problem.textContent = "All seats are taken.";
  }

  leave() {
    const { page, graph, change } = this.#given, { node } = this;
    if (!node) return;
    this.node = null;
    page.client.set(graph, {}, { clear: [node] }).catch(() => {});
    change();
  }
}
