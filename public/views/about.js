// What server this is, what it takes, and what the page keeps.
import { h } from "/lib/dom.js";
import { formatBytes } from "/lib/format.js";

export async function mount(element, { client, store, signal, style, title }) {
  style("/ui/dialogs.css");
  title("About");
  const facts = h("dl", { class: "facts" });
  element.append(h("div", { class: "page" }, h("h1", {}, "About this server"), h("section", { class: "card" }, facts),
    h("section", { class: "card" }, h("h2", {}, "More"), h("p", {},
      h("a", { href: "/openapi.json" }, "The HTTP interface"), ", ", h("a", { href: "/v1/operators" }, "its operators"), ", ",
      h("a", { href: "/metrics" }, "metrics"), ", ", h("a", { href: "/healthz" }, "health"), "."))));
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
    facts.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { class: "num" }, String(value))]));
  }, signal);
}
