// The server's name, version and limits, and what the page stores.
import { h, href } from "/lib/dom.js";
import { formatBytes } from "/lib/format.js";

export async function mount(element, { client, store, signal, style, title }) {
  style("/ui/dialogs.css");
  title("About");
  const facts = h("dl", { class: "facts" }), note = h("p", { class: "small dim", role: "status" });
  // Operations may have an address of their own, which a page cannot ask.
  const elsewhere = async (event) => {
    event.preventDefault();
    const answer = await fetch("/metrics", { method: "HEAD" }).catch(() => ({}));
    if (answer.ok) location.assign("/metrics");
    else note.textContent = answer.status === 404
      ? "The metrics are at the address that admin.listen in the server's configuration names, under /metrics."
      : answer.status ? "The metrics are not shown to you: they take the right admin." : "The server does not answer.";
  };
  element.append(h("div", { class: "page" }, h("h1", {}, "About this server"), h("section", { class: "card" }, facts),
    h("section", { class: "card" }, h("h2", {}, "More"), h("p", {},
      h("a", { href: href("/graphs") }, "All graphs"), ", ", h("a", { href: href("/files") }, "graph files"), "."),
      h("p", {},
      h("a", { href: "/openapi.json" }, "The HTTP interface"), ", ",
        h("a", { href: "/v1/operators" }, "its operators"), ", ",
      h("a", { href: "/metrics", onclick: elsewhere }, "metrics"), ", ", h("a", { href: "/healthz" }, "health"), "."),
        note)));
  let version = {};
  try { version = await (await fetch("/version", { signal })).json(); } catch { /* shown as unknown */ }
  store.listen("state", () => {
    const { subs, msg, pipe } = client.limits;
    const rows = [
      ["Server", `${version.name ?? "unknown"} ${version.version ?? ""}`],
      ["Protocol", version.protocol ?? "unknown"],
      ["This connection", client.session ?? "none"],
      ["Subscriptions of one connection", subs ?? "unknown"],
      ["Longest message", msg ? formatBytes(msg) : "unknown"],
      ["Stages of one pipeline", pipe ?? "unknown"],
    ];
    facts.replaceChildren(...rows.flatMap(([name, value]) =>
      [h("dt", {}, name), h("dd", { class: "num" }, String(value))]));
  }, signal);
}
