// Who is here: people with their names, and the connections that listen.
import { h, load, setText } from "/lib/dom.js";
import { formatAge, plural } from "/lib/format.js";

const stored = "sluice.name";

function resize(list, count, make) {
  while (list.childElementCount < count) list.append(make());
  while (list.childElementCount > count) list.lastChild.remove();
}

/** People on seats that the server clears with their connection. */
export const people = (widget, { feeds, page, graph, signal, mark }) => {
  let seat = null, name = "";
  try { name = localStorage.getItem(stored) ?? ""; } catch { /* nothing is kept */ }
  const list = h("ul", { class: "people" }), problem = h("p", { class: "small bad", role: "status" });
  const field = h("input", { maxlength: 40, placeholder: "Your name", "aria-label": "Your name", value: name });
  const button = h("button", { type: "submit" }, "Join");
  // What takes a seat comes when somebody is near.
  const near = () => load("/dash/seat.js").then(({ Seat }) => (seat ??= new Seat({ feeds, page, graph, stored, field, problem, signal, mark })),
    () => void (problem.textContent = "This page could not load what takes a seat. Try again."));
  const form = h("form", { class: "people-join", onpointerover: near, onfocusin: near, onsubmit: (event) => { event.preventDefault(); near().then((found) => found?.toggle()); } }, field, button);
  const nobody = h("p", { class: "dim small" }, "Nobody has given a name yet.");
  page.store.listen("state", ({ name: state }) => (button.disabled = state !== "live"), signal);
  return {
    element: h("div", { class: "people-box" }, nobody, list, form, problem),
    draw() {
      const here = feeds.filter(({ entry }) => typeof entry?.v === "string"), mine = seat?.node;
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
    close: () => seat?.leave(),
  };
};

/** Who listens to this graph; looking adds nobody. */
export const clients = (widget, { observed, signal, mark }) => {
  const list = h("ul", { class: "clients" }), note = h("p", { class: "dim small" });
  observed.addEventListener("change", mark, { signal });
  return {
    element: h("div", { class: "scroll fill", tabindex: 0, role: "group" }, note, list), ages: true,
    draw() {
      const here = [...(observed.listeners?.values() ?? [])];
      setText(note, observed.refused ? `Who listens cannot be shown: ${observed.refused}.` : here.length ? "" : "Nobody listens.");
      resize(list, here.length, () => h("li", {}, h("i", { class: "pill", "aria-hidden": "true" }), h("span"), h("span", { class: "tag" }, "you"), h("span", { class: "dim small" })));
      here.forEach(({ client, l, you, transport = "", on = [], since }, i) => {
        const [, who, tag, what] = list.children[i].children;
        setText(who, client || l);
        tag.hidden = !you;
        setText(what, `${transport} · ${plural(on.length, "node")} · here ${formatAge(Date.now() - since).replace(" ago", "")}`);
      });
    },
  };
};
