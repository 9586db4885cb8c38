// The files of graphs: what reading them again would change, before it is done.
import { h, href } from "/lib/dom.js";
import { plural } from "/lib/format.js";

const words = { added: "is new", changed: "changes", unchanged: "stays as it is",
  orphaned: "has lost its file: it will no longer be served, and its values stay until it is removed",
  returned: "has its file again, and its values" };

/** `living_c (1 value) and s.{id} (2 values)` */
const losses = (lost) => lost.map(({ name, values }) => `${name} (${plural(values, "value")})`).join(", ");
const lostIn = ({ diff }) => (diff?.lost ?? []).filter(({ values }) => values > 0);

async function ask(path, options) {
  const answer = await fetch(path, options), body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.detail ?? body.title), { code: body.code });
  return body;
}

const change = (each) => h("li", {}, h("strong", {}, each.graph), ` ${words[each.result] ?? each.result}.`,
  lostIn(each).length > 0 && h("p", { class: "severity" }, `Deletes the values of ${losses(lostIn(each))}.`));

const problem = ({ file, line, column, message, hint }) => h("li", {},
  h("code", {}, [file, line, column].filter((part) => part !== undefined).join(":")), ` ${message}`,
  hint && h("p", { class: "small dim" }, hint));

const orphan = ({ graph, values }) => h("li", {}, h("strong", {}, graph), `: ${plural(values, "value")}. `,
  "Put its file back, or delete them with ", h("code", {}, `sluice remove ${graph}`), ".");

const section = (title, items, nothing) => h("section", { class: "card" }, h("h2", {}, title),
  items.length ? h("ul", { class: "plain" }, items) : h("p", { class: "dim" }, nothing));

export async function mount(element, { signal, style, dialogs, announce, title }) {
  title("Graph files");
  style("/ui/dialogs.css");
  element.classList.add("in-views");
  style("/views/views.css");

  const preview = () => ask("/v1/reload?dry_run=1", { method: "POST", signal });

  /** Asks if values would be deleted, reads the files, and shows what is left to do. */
  async function reload() {
    try {
      // The files may have changed since they were looked at.
      const lost = (await preview()).graphs.flatMap(lostIn), values = lost.reduce((sum, each) => sum + each.values, 0);
      if (values && !(await dialogs.confirm(`Delete ${plural(values, "value")}?`,
        `The files no longer have ${losses(lost)}. The values cannot be brought back.`, "Delete them"))) return;
      await ask("/v1/reload", { method: "POST" });
      announce("The files were read");
      await show();
    } catch (error) {
      announce(`Not read: ${error.message}`, { assertive: true });
    }
  }

  async function show() {
    const [{ graphs, problems }, { orphans = [] }] = await Promise.all([
      preview(), ask("/v1/graphs", { signal })]);
    if (signal.aborted) return;
    const changes = graphs.filter(({ result }) => result !== "unchanged");
    element.replaceChildren(h("div", { class: "page" }, h("h1", {}, "Graph files"),
      section("What reading them again would change", changes.map(change), "Nothing: the server has what the files say."),
      h("p", {}, h("button", { type: "button", onclick: reload }, "Read the files")),
      problems.length > 0 && section("Problems", problems.map(problem)),
      orphans.length > 0 && section("Graphs without a file", orphans.map(orphan)),
      h("p", { class: "small dim" }, h("a", { href: href("/") }, "All graphs"))));
  }

  try {
    await show();
  } catch (error) {
    if (signal.aborted) return;
    const isElsewhere = error.code === "not_found";
    element.replaceChildren(h("div", { class: "notice" },
      h("h1", {}, isElsewhere ? "Graph files are managed at another address" : "Graph files are not shown to you"),
      h("p", {}, isElsewhere
        ? ["This server's operations have an address of their own (", h("code", {}, "admin.listen"), "): ask there with ",
          h("code", {}, "sluice reload --dry-run"), "."]
        : [`${error.message}. Reading them takes the right `, h("code", {}, "admin"), " over everything."])));
  }
}
