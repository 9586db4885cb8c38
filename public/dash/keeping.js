// Dashboards as wholes: saved on the server, opened, linked, exported and imported.
import { graphPath, h, load } from "/lib/dom.js";
import { encode } from "/dash/address.js";
import { field } from "/dash/forms.js";
import { most, read } from "/dash/layout.js";
import { list } from "/dash/saved.js";
import { nameOf, remove, save, suggest } from "/dash/saving.js";

/** Gives the person a file. */
function download(name, thing) {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(thing, null, 2)}\n`], { type: "application/json" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export class Keeping {
  #board; #editing;

  constructor(board, editing) {
    this.#board = board;
    this.#editing = editing;
  }

  async more(button) {
    const board = this.#board, { graph, page } = board, { dashboards, writable } = await list();
    if (page.signal.aborted) return;
    const own = dashboards.filter((each) => each.graph === graph), { name } = board.saved ?? {};
    const label = `Delete ${board.layout.title ?? name}`;
    page.dialogs.menu(button, [
      ...own.map((each) => ({ label: each.title, action: () => this.#show(each.name) })),
      { label: "Made from the graph", action: async () => this.#take((await board.composed()).layout) },
      { label: "New dashboard…", action: () => this.#new(), disabled: !writable },
      { label: "Save as…", action: () => this.#ask(), disabled: !writable },
      ...(name ? [{ label, action: () => this.#delete(name), disabled: !writable }] : []),
      { label: "Copy link", action: () => this.#link() },
      { label: "Export", action: () => download(`${graph}-dashboard.json`, { ...board.layout, graph }) },
      { label: "Import…", action: () => this.#import() },
      { label: "Full page, to look at", action: () => this.#kiosk("1") },
      { label: "Full page, to touch", action: () => this.#kiosk("touch") },
    ]);
  }

  #show(name) { this.#board.page.go(`${graphPath(this.#board.graph, "dash")}?d=${encodeURIComponent(name)}`); }

  async #new() {
    const { graph, page } = this.#board;
    (await load("/dash/creating.js")).create(page, graph);
  }

  /** Nothing but widgets, as they are now; `kind` is that of the kiosk in its address. */
  #kiosk(kind) {
    const { page, graph } = this.#board, query = new URLSearchParams(page.route.query);
    query.delete("edit");
    query.set("kiosk", kind);
    page.go(`${graphPath(graph, "dash")}?${query}`);
  }

  /** Another layout, unless the person has gone elsewhere meanwhile. */
  #take(layout) {
    if (this.#board.page.signal.aborted) return;
    this.#board.set(layout);
    this.#editing.changed();
  }

  /** The name that one gets which has none. */
  #suggested(dashboards) {
    const { graph, layout, page } = this.#board, graphs = page.store.get("graphs") ?? [];
    return suggest(layout.title ?? (graphs.find((each) => each.graph === graph)?.title || graph), dashboards);
  }

  /** Says whether it can be saved here; a draft without a name gets a button to save it. */
  async offer() {
    const board = this.#board, { saveButton, saveNote, page } = board, { dashboards, writable, why } = await list();
    saveButton.disabled = !writable;
    const isNew = writable && !board.saved && page.route.query.has("w"), title = this.#suggested(dashboards);
    saveNote.hidden = (writable && !isNew) || saveButton.hidden;
    saveNote.replaceChildren(...(writable ? ["Not saved yet: only this address has it. ",
      h("button", { type: "button", class: "link", onclick: () => this.#saveAs(title) }, `Save as “${title}”`)]
      : [`Not saved here: ${why}. Copy the link, or export the draft.`]));
  }

  /** Saves over the dashboard that is shown; one that is not the server's yet gets a name. */
  async save() {
    const board = this.#board, { page } = board;
    if (!board.saved) return this.#ask();
    const { name, etag } = board.saved;
    try {
      await this.#put(name, etag);
    } catch (error) {
      if (page.signal.aborted) return;
      if (!error.isConflict) return this.#failed(error);
      const choice = await page.dialogs.open({
        title: "Not saved",
        body: h("p", {}, `${error.message[0].toUpperCase()}${error.message.slice(1)}. `, "Your draft is in the address."),
        actions: [
          { label: "Keep my draft", value: null },
          ...(error.etag ? [{ label: "Show theirs", value: "theirs" }] : []),
          { label: "Save mine", value: "mine", kind: "danger" },
        ],
      });
      if (page.signal.aborted) return;
      if (choice === "theirs") this.#show(name);
      if (choice === "mine") await this.#put(name, error.etag).catch((again) => this.#failed(again));
    }
  }

  async #put(name, etag) {
    const board = this.#board, next = await save(name, { ...board.layout, graph: board.graph }, etag);
    if (board.page.signal.aborted) return;
    board.saved = { name, etag: next };
    board.switchEditing(false);
    board.go(null, name);
    this.#editing.restart();
    board.page.announce("Saved for everybody");
  }

  #failed({ message }) { this.#board.say([`Not saved: ${message}`]); }

  /** Asks for the name. */
  async #ask() {
    const { layout, page } = this.#board, value = layout.title ?? this.#suggested((await list()).dashboards);
    const name = h("input", { maxlength: most.title, value });
    const problem = h("p", { class: "bad small", role: "alert" });
    const choice = await page.dialogs.open({
      title: "Save dashboard",
      body: h("div", { class: "in-dash" }, h("div", { class: "form-fields" },
        field("Name", "It is saved on the server, for every browser.", name), problem)),
      actions: [{ label: "Cancel", value: null }, { label: "Save", value: "yes", kind: "primary" }],
      check: async () => {
        if (name.value.trim()) return true;
        problem.textContent = "Type a name.";
        name.focus();
        return false;
      },
    });
    const title = name.value.trim();
    if (choice === "yes" && !page.signal.aborted) await this.#saveAs(title);
  }

  async #saveAs(title) {
    const board = this.#board, { layout, page } = board, before = layout.title, file = nameOf(title);
    layout.title = title;
    page.title(title);
    try {
      await this.#put(file, file === board.saved?.name ? board.saved.etag : null);
    } catch (error) {
      const question = "The server has a dashboard of this name already.";
      const isMine = error.isConflict && await page.dialogs.confirm(`Replace ${title}?`, question, "Replace");
      if (isMine) return void await this.#put(file, error.etag).catch((again) => this.#failed(again));
      layout.title = before;
      if (!error.isConflict) this.#failed(error);
    }
  }

  async #delete(name) {
    const { graph, layout, page, saved: { etag } } = this.#board, title = `Delete ${layout.title ?? name}?`;
    if (!await page.dialogs.confirm(title, "It is deleted for everybody.", "Delete")) return;
    try {
      await remove(name, etag);
      page.go(graphPath(graph, "dash"));
    } catch (error) {
      this.#board.say([`Not deleted: ${error.message}`]);
    }
  }

  async #link() {
    const { layout, page, graph, saved: kept } = this.#board, text = encode(layout);
    const isDraft = page.route.query.has("w") || !kept;
    const query = isDraft && text ? `w=${text}` : `d=${encodeURIComponent(kept?.name ?? "")}`;
    const url = new URL(`#${graphPath(graph, "dash")}?${query}`, location.href).href;
    try {
      await navigator.clipboard.writeText(url);
      page.announce("Link copied");
    } catch {
      page.dialogs.open({ title: "Link to this dashboard", body: h("textarea", { rows: 4, readonly: true, "aria-label": "Link" }, url) });
    }
  }

  #import() {
    const board = this.#board, input = h("input", { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (!file) return;
      if (file.size > most.file) return board.say([`The file is larger than ${most.file / 1024} KiB.`]);
      let thing;
      try { thing = JSON.parse(await file.text()); } catch { return board.say(["The file is not valid JSON."]); }
      const { layout, problems } = read(thing);
      if (!layout) return board.say(problems);
      this.#take(layout);
      if (problems.length) board.say(problems);
    });
    input.click();
  }
}
