// The dialogs of the bar's buttons: the connection's figures, the theme, the keys, signing out.
import { h, setText, style } from "/lib/dom.js";
import { formatBytes, formatDuration } from "/lib/format.js";
import { words } from "./connection.js";

style("/ui/dialogs.css");
let figures = {};

/**
 * The figures that do not fit beside the state, or on a small screen not even the first of them.
 */
export function aboutConnection({ client, dialogs, frame, store }) {
  const list = h("dl", { class: "facts" }), closing = new AbortController();
  const fill = () => {
    const state = store.get("state"), now = Date.now(), { trip, messages, updates, bytes } = figures;
    const rows = [["State", words(state, now)],
      state.since && [state.name === "live" ? "Up for" : "Lost", formatDuration(now - state.since)],
      ["Called by the server", client.session ?? "–"],
        ["Round trip", trip ? `${trip}, median of five` : "not measured yet"],
      ["Messages", `${messages ?? 0}/s`], ["Updates", `${updates ?? 0}/s`],
        ["Received", formatBytes(bytes ?? 0, "B/s")]].filter(Boolean);
    list.replaceChildren(...rows.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { class: "num" }, value)]));
  };
  fill();
  frame.tick(fill, closing.signal);
  dialogs.open({ title: "Connection", sheet: true, body: h("div", { class: "field" }, list,
    h("p", { class: "small dim" },
      "Looking at a graph keeps nothing in it alive; widgets and tables of values do, as long as they are open.")),
  }).then(() => closing.abort());
}

/** The choice between the system's theme, light and dark, kept in this browser. */
export function theme({ dialogs, store }, button) {
  const now = document.documentElement.dataset.theme ?? "system";
  const choose = (name) => {
    if (name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    try { name === "system" ? localStorage.removeItem("sluice.theme") : localStorage.setItem("sluice.theme", name);
    } catch { /* for now only */ }
    button.ariaLabel = `Theme: ${name}`;
    store.set("theme", name);
  };
  dialogs.menu(button, [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]].map(([name, label]) =>
    ({ label: name === now ? `${label} (now)` : label, action: () => choose(name) })));
}

export async function signOut({ announce, store }) {
  try { await fetch("/v1/session", { method: "DELETE" });
  } catch { return announce("Not signed out: the server does not answer", { assertive: true }); }
  store.set("session", false);
  location.reload();
}

/** The list of keys. */
export function help({ keys, dialogs }) {
  const groups = Map.groupBy(keys.list(), ({ group }) => group);
  const box = h("input", { type: "checkbox", id: "keys-on", onchange: () => (keys.enabled = box.checked) });
  box.checked = keys.enabled;
  const cap = (each) => h("kbd", {}, each.length === 1 ? each.toUpperCase() : each);
  dialogs.open({
    title: "Keys",
    body: h("div", { class: "field" },
      h("div", { class: "keys" }, [...groups].map(([group, all]) => [
        h("h3", {}, group), ...all.flatMap(({ key, label }) =>
          [h("span", {}, key.split(" ").map(cap)), h("span", {}, label)]),
      ])),
      h("label", {}, box, " Single keys act (only while no field has the focus)")),
  });
}

/** Called once for the page: `line` shows the first figures. */
export function measure({ frame, meters }, line) {
  let before = { at: performance.now(), ...meters };
  frame.tick(() => {
    const at = performance.now(), { trips } = meters, rtt = trips?.toSorted((a, b) => a - b)[trips.length >> 1];
    const rate = (what) => Math.max(0, (meters[what] - before[what]) * 1000 / (at - before.at));
    const round = (value) => (value >= 10 ? value.toFixed(0) : value.toFixed(1)).replace(/\.0$/, "");
    figures = { trip: rtt === undefined ? "" : `${rtt.toFixed(rtt < 10 ? 1 : 0)} ms`, messages: round(rate("messages")),
      updates: round(rate("updates")), bytes: rate("bytes") };
    before = { at, ...meters };
    setText(line, [figures.trip, `${figures.updates} updates/s`].filter(Boolean).join(" · "));
  });
}
