// For servers with tokens: the token is entered once, and kept only in a cookie that scripts cannot
// read.
import { h, setText } from "/lib/dom.js";

export function mount(element, { client, store, style, title }) {
  element.classList.add("in-views");
  for (const path of ["/ui/dialogs.css", "/views/views.css"]) style(path);
  title("Sign in");
  const field = h("input", { type: "password", id: "token", name: "token", autocomplete: "current-password",
    spellcheck: "false", required: true, "aria-describedby": "token-message" });
  const message = h("p", { class: "small bad", id: "token-message", role: "alert" });
  const button = h("button", { type: "submit", class: "primary" }, "Sign in");
  const why = client.session ? "Your session has ended." : "This server is opened with a token.";

  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    setText(message, "");
    field.removeAttribute("aria-invalid");
    try {
      const answer = await fetch("/v1/session", {
        method: "POST", headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ token: field.value.trim() }),
      });
      if (answer.ok) {
        field.value = "";
        store.set("session", true);
        return client.retry();
      }
      const { detail, title: heading } = await answer.json();
      field.setAttribute("aria-invalid", "true");
      setText(message, answer.status === 401 ? "This token is not known here, or has ended."
        : `Not signed in: ${detail ?? heading}`);
      field.select();
    } catch {
      setText(message, "The server did not answer. Try again in a moment.");
    } finally {
      button.disabled = false;
    }
  };

  element.append(h("form", { class: "card sign-in", onsubmit: submit },
    h("h1", {}, "Sign in"),
    h("p", { class: "dim" }, `${why} Enter the one that you were given. On the server, `, h("code", {}, "sluice token"), " makes tokens."),
    h("div", { class: "field" }, h("label", { for: "token" }, "Token"), field, message),
    button));
  field.focus();
  return {};
}
