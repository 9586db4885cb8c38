// Dialogs and menus of the platform: focus, Escape and the top layer come with them.
import { h, style } from "/lib/dom.js";

style("/ui/dialogs.css");

/**
 * A modal dialog; resolves with the `value` of the action that was chosen, or null when it was left.
 * `sheet` makes it come from the bottom on phones.
 */
export function open({ title, body, actions = [{ label: "Close", value: null }], sheet = false }) {
  return new Promise((resolve) => {
    const buttons = actions.map(({ label, value, kind }) =>
      h("button", { type: "submit", class: kind, value: String(value), onclick: () => (chosen = value) }, label));
    let chosen = null;
    const dialog = h("dialog", { "aria-label": title, class: sheet ? "sheet" : undefined },
      h("form", { method: "dialog" }, h("h2", {}, title), body, h("div", { class: "actions" }, buttons)));
    dialog.addEventListener("cancel", () => (chosen = null));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks before something that cannot be taken back; true when `label` was chosen. */
export const confirm = (title, text, label) =>
  open({
    title,
    body: h("p", {}, text),
    actions: [{ label: "Cancel", value: null }, { label, value: true, kind: "danger" }],
  }).then((value) => value === true);

/** A small menu below `button`: `[{ label, action, disabled }]`. */
export function menu(button, items) {
  const list = h("div", { class: "menu", role: "menu", popover: "auto" }, items.map(({ label, action, disabled }) =>
    h("button", {
      type: "button", role: "menuitem", disabled,
      onclick: () => { list.hidePopover(); action(); },
    }, label)));
  list.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    list.remove();
    button.setAttribute("aria-expanded", "false");
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...list.querySelectorAll("button:not(:disabled)")];
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length]?.focus();
  });
  document.body.append(list);
  list.showPopover();
  const place = button.getBoundingClientRect(), size = list.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(place.left, innerWidth - size.width - 8))}px`;
  list.style.top = `${place.bottom + 4 + size.height > innerHeight ? Math.max(8, place.top - 4 - size.height) : place.bottom + 4}px`;
  button.setAttribute("aria-expanded", "true");
  list.querySelector("button:not(:disabled)")?.focus();
}
