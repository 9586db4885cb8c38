// A seat among the nodes of a widget: this person's name, which the server clears with the connection.

export class Seat {
  /** The node that is held, or null. */
  node = null;
  #given; #isJoining = false;

  constructor(given) {
    this.#given = given;
    let wasLive = true;
    given.page.store.listen("state", ({ name }) => {
      // The seat went with the connection.
      if (name === "live" && !wasLive && this.node) {
        this.node = null;
        setTimeout(() => this.#join(), 300);
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
    const { feeds, page, graph, stored, field, problem, signal } = this.#given, name = field.value.trim();
    if (!name) return void field.focus();
    // Pressed twice it would hold two.
    if (this.#isJoining || signal.aborted) return;
    try { localStorage.setItem(stored, name); } catch { /* nothing is kept */ }
    this.#isJoining = true;
    problem.textContent = await this.#take(feeds, page.client, graph, name);
    this.#isJoining = false;
    if (signal.aborted) this.leave();
  }

  /** Why there is none, in words. */
  async #take(feeds, client, graph, name) {
    for (const { entry, node } of feeds) {
      if (typeof entry?.v === "string") continue;
      try {
        await client.set(`${graph}/${node}`, name, { presence: true, if: { [node]: { empty: true } } });
        this.node = node;
        this.#given.mark();
        return "";
      } catch (error) {
        if (error.code !== "conflict") return error.message;
      }
    }
    return "All seats are taken.";
  }

  leave() {
    const { page, graph, mark } = this.#given, { node } = this;
    if (!node) return;
    this.node = null;
    page.client.set(graph, {}, { clear: [node] }).catch(() => {});
    mark();
  }
}
