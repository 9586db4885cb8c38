// The selected node or listener, shown in the picture, the outline and the inspector.
import { setText } from "/lib/dom.js";
import { Navigation } from "./camera.js";
import { titleOf } from "./shapes.js";

export class Selection {
  #page; #navigation;

  constructor(page) {
    this.#page = page;
    this.#navigation = new Navigation(page.view, (dx, dy) => page.highlight.walk(dx, dy));
  }

  /** Follows an event of the picture. */
  take(event, at) {
    const id = this.#navigation.take(event, at), shape = this.#page.view.shapes.get(id);
    if (id === null) return this.select(null);
    if (!shape) return;
    this.#page.view.rove(id);
    if (shape.type === "cluster") this.open(id, shape);
    else this.select(id);
  }

  zoom(factor) { this.#navigation.zoom(factor); }

  show(box) { this.#navigation.show(box); }

  /**
   * Selects a node or listener, or nothing; `reveal` also brings it on screen, `focus` under the
   * keyboard.
   */
  select(id, { reveal = false, focus = false } = {}) {
    const page = this.#page, { model, view, focused } = page;
    if (id === null) return page.go({ node: null, focus: null });
    const entry = model.nodes.get(id) ?? model.listeners.get(id), name = id.slice(2);
    // A member that is not shown yet.
    if (!entry && (page.isLarge || model.familyOf(name))) return page.go({ node: name, focus: null });
    if (!entry) return page.context.announce("It is not there any more");
    if (reveal && entry.exists === false && !view.view.asleep) this.toggleAsleep();
    if (reveal) page.wanted = { id, focus };
    const query = { node: entry.name ?? id };
    if (focused && !page.only().has(id)) query.focus = null;
    page.go(query);
    if (page.selected === id) page.inspect(id);
    if (reveal) this.reveal();
  }

  /** Waits for a picture in which the wanted node is drawn by itself. */
  reveal() {
    const page = this.#page, { view } = page;
    if (!page.wanted) return;
    const { id, focus } = page.wanted;
    if (page.mode === "outline") {
      page.wanted = null;
      page.part("outline").then((outline) => {
        outline?.reveal(id);
        if (focus) outline?.element.focus();
      });
      return;
    }
    const drawn = view.drawn(id);
    if (!drawn) return;
    // It is drawn by itself once it is selected.
    if (drawn !== id) return;
    page.wanted = null;
    this.show(view.picture.nodes.get(id));
    if (focus) view.focus(id);
  }

  async inspect(id) {
    const page = this.#page, panel = await page.part("panel");
    // The panel takes room: the selection stays on screen.
    if (page.selected !== id || !panel?.show(id) || page.mode !== "picture") return;
    const box = page.view.picture?.nodes.get(page.view.drawn(id));
    if (box) this.show(box);
  }

  /** Opens a group, as the one that is drawn whole. */
  open(id, { members }) {
    const { context, view } = this.#page, { open } = view.view, key = id.replace(/ …$/, "");
    open.delete(key);
    open.add(key);
    view.show({});
    context.announce(`Group of ${members.length} opened`);
  }

  closeGroups() {
    this.#page.view.view.open.clear();
    this.#page.view.show({});
  }

  /** The target of a key: the focused node, or the selected one. */
  #target() {
    const { mode, parts, view, selected } = this.#page, isOutline = mode === "outline" && parts.outline;
    const { element, current } = isOutline ? parts.outline : view, here = this.#page.find(current ?? "");
    return (element.contains(document.activeElement) ? here : null) ?? selected ?? here;
  }

  cycleFocus() {
    const page = this.#page;
    page.highlight.cycleFocus(page.focused?.id ?? this.#target(), page.focused);
  }

  toggleOwners() { this.#page.highlight.toggleOwners(this.#target()); }

  escape() {
    const page = this.#page, { highlight, parts } = page;
    if (highlight.isLit) highlight.toggleOwners();
    else if (parts.lifetimes?.tray.hidden === false) parts.lifetimes.toggle(false);
    else if (page.focused) page.go({ focus: null });
    else if (page.selected) this.select(null);
  }

  toggleAsleep() {
    const { asleepButton, parts, view } = this.#page, asleep = !view.view.asleep;
    asleepButton.setAttribute("aria-pressed", String(asleep));
    view.show({ asleep });
    parts.outline?.refresh();
  }

  /** Says why nothing can be shown. */
  refused({ code, msg }) {
    const { empty, graph } = this.#page;
    empty.hidden = false;
    setText(empty, code === "unknown_graph" ? `There is no graph “${graph}”.`
      : code !== "forbidden" ? `The graph cannot be observed: ${msg ?? code}`
      : "You may not look at this graph as a whole: that needs the right “observe”. Its values may still be readable under Values.");
  }

  /** The focused node is gone, or drawn as another item, which gets the focus. */
  lost({ id, entry, next }) {
    const { view, context } = this.#page, shape = view.shapes.get(next);
    if (entry.kind
      && !view.drawn(id)) context.announce(`${titleOf(entry)} is gone${shape ? `. Now at ${shape.label ?? titleOf(shape.entry)}` : ""}`);
  }
}
