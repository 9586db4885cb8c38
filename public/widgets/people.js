// Who is here: people with their names, on seats that the server clears when their connection ends.
import { h, setText } from "/lib/dom.js";
import { resize } from "/widgets/parts.js";

const stored = "sluice.name";

function storedName() {
  try { return localStorage.getItem(stored) ?? ""; } catch { return ""; }
}

/** A seat among the nodes of a widget: this person's name. */
class Seat {
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
        given.mark();
        setTimeout(() => this.join(), 300);
      }
      wasLive = name === "live";
    }, given.signal);
  }

  /** Takes the first empty seat; if another client was faster, the next one. */
  async join() {
    const { feeds, page, graph, field, problem, signal } = this.#given, name = field.value.trim();
    if (!name) return void field.focus();
    // A second press must not take a second seat.
    if (this.node || this.#isJoining || signal.aborted) return;
    try { localStorage.setItem(stored, name); } catch { /* the name is not kept */ }
    this.#isJoining = true;
    problem.textContent = await this.#take(feeds, page.client, graph, name);
    this.#isJoining = false;
    if (signal.aborted) this.leave();
  }

  /** What went wrong, in words. */
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

function make(widget, { feeds, page, graph, signal, mark, isKiosk }) {
  const list = h("ul", { class: "people" }), problem = h("p", { class: "small bad", role: "status" });
  const field = h("input", { maxlength: 40, placeholder: "Your name", "aria-label": "Your name", value: storedName() });
  const button = h("button", { type: "submit" }, "Join");
  const seat = new Seat({ feeds, page, graph, field, problem, signal, mark });
  const press = (event) => {
    event.preventDefault();
    // What is on the screen decides: Enter pressed again before the seat is shown must not give it
    // up.
    if (field.hidden) seat.leave(); else seat.join();
  };
  const form = h("form", { class: "people-join", onsubmit: press, hidden: isKiosk }, field, button);
  const nobody = h("p", { class: "dim small" }, "Nobody has given a name yet.");
  page.store.listen("state", ({ name: state }) => (button.disabled = state !== "live"), signal);
  return {
    element: h("div", { class: "people-box" }, nobody, list, form, problem),
    draw() {
      const here = feeds.filter(({ entry }) => typeof entry?.v === "string"), mine = seat.node;
      resize(list, here.length, () => h("li", {}, h("i", { class: "person", "aria-hidden": "true" }), h("span")));
      here.forEach((feed, i) => {
        const [badge, text] = list.children[i].children, { v } = feed.entry;
        badge.dataset.series = feeds.indexOf(feed) % 6 + 1;
        setText(badge, [...v.trim()].slice(0, 1).join("").toUpperCase());
        setText(text, feed.node === mine ? `${v} (you)` : v);
      });
      nobody.hidden = here.length > 0;
      setText(button, mine ? "Leave" : "Join");
      if (mine && document.activeElement === field) button.focus();
      field.hidden = !!mine;
    },
    close: () => seat.leave(),
  };
}

export default { kind: "people", label: "Who is here", size: [4, 4], options: [], source: "several", most: 64, make };
