// Dialogs and menus of the platform: focus, Escape and the top layer come with them.
import { h, style } from "/lib/dom.js";

style("/ui/dialogs.css");

/**
 * A modal dialog; resolves with the `value` of the chosen action, or null if it was closed. `sheet`
 * makes it come from the bottom on phones. It stays open until `check`, if there is one, resolves
 * with true.
 */
export async function open({ title, body, actions = [{ label: "Close", value: null }], sheet = false, check }) {
  // It was opened twice while loading.
  if ([...document.querySelectorAll("dialog[open]")].some(({ ariaLabel }) => ariaLabel === title)) return null;
  return new Promise((resolve) => {
    // Enter in a field presses the first submit button, which must not be the one that cancels.
    const buttons = actions.map(({ label, value, kind }) => value === null
      ? h("button", { type: "button", class: kind, value: "null", onclick: () => leave() }, label)
      : h("button", { type: "submit", class: kind, value: String(value), onclick: () => (chosen = value) }, label));
    let chosen = null, isBeside = false, isChecking = false, isRight = !check;
    const leave = () => { chosen = null; dialog.close(); };
    const submit = async (event) => {
      if (isRight) return;
      event.preventDefault();
      if (isChecking) return;
      isChecking = true;
      isRight = await check();
      isChecking = false;
      // A form cannot submit within its own submit event.
      if (isRight) setTimeout(() => event.target.requestSubmit(event.submitter));
    };
    const dialog = h("dialog", { "aria-label": title, class: sheet ? "sheet" : undefined },
      h("form", { method: "dialog", onsubmit: submit }, h("h2", {}, title), body,
        h("div", { class: "actions" }, buttons)));
    dialog.addEventListener("cancel", () => (chosen = null));
    // A click counts as outside only if the press began there: a selection may end outside.
    dialog.addEventListener("pointerdown", (event) => (isBeside = event.target === dialog));
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog && isBeside) leave();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Asks before an action that cannot be undone; true if `label` was chosen. */
export const confirm = (title, text, label) =>
  open({
    title,
    body: h("p", {}, text),
    actions: [{ label: "Cancel", value: null }, { label, value: true, kind: "danger" }],
  }).then((value) => value === true);

let closed = null;

/**
 * A small menu below `button`: `[{ label, action, disabled }]`. Another click on the button closes
 * it.
 */
export function menu(button, items) {
  // The press has closed it, and the click must not open it again.
  if (closed?.button === button && performance.now() - closed.at < 300) return void (closed = null);
  const list = h("div", { class: "menu", role: "menu", popover: "auto" }, items.map(({ label, action, disabled }) =>
    h("button", {
      type: "button", role: "menuitem", disabled,
      onclick: () => { list.hidePopover(); action(); },
    }, label)));
  let isPressed = false;
  const press = ({ target }) => (isPressed = button.contains(target)), leave = () => list.hidePopover();
  addEventListener("pointerdown", press, true);
  // It would act on a view that was left.
  addEventListener("hashchange", leave);
  list.addEventListener("beforetoggle", ({ newState }) => {
    button.setAttribute("aria-expanded", newState === "open");
    if (newState !== "closed") return;
    removeEventListener("pointerdown", press, true);
    removeEventListener("hashchange", leave);
    closed = isPressed ? { button, at: performance.now() } : null;
  });
  list.addEventListener("toggle", ({ newState }) => newState === "closed" && list.remove());
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...list.querySelectorAll("button:not(:disabled)")];
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length]?.focus();
  });
  // Within the landmark of its button, but outside of what has colours of its own.
  (button.closest("main, .bar") ?? document.body).append(list);
  list.showPopover();
  const place = button.getBoundingClientRect(), size = list.getBoundingClientRect();
  list.style.left = `${Math.max(8, Math.min(place.left, innerWidth - size.width - 8))}px`;
  list.style.top = `${place.bottom + 4 + size.height > innerHeight ? Math.max(8, place.top - 4 - size.height) : place.bottom + 4}px`;
  list.querySelector("button:not(:disabled)")?.focus();
}
