// The dashboards that the server keeps for all browsers; each has an entity tag, as values have
// revisions.
import { read } from "/dash/layout.js";

const path = (name) => `/v1/dashboards/${encodeURIComponent(name)}`;

export class SaveError extends Error {
  constructor(status, problem) {
    const { detail = `the server answered ${status}`, hint } = problem;
    super(hint ? `${detail} (${hint})` : detail);
    this.isConflict = status === 412;
    /** Of what the server has now; null where it has none of this name. */
    this.etag = problem.etag ?? null;
  }
}

/** A request for a dashboard; throws a `SaveError`. */
export async function ask(method, name, init = {}) {
  const answer = await fetch(path(name), { method, ...init });
  if (!answer.ok && answer.status !== 304) throw new SaveError(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

/** `{ writable, why, dashboards: [{ name, title, graph }] }`; empty where the server does not answer. */
export async function list() {
  const answer = await fetch("/v1/dashboards").catch(() => null);
  return answer?.ok ? answer.json() : { writable: false, why: "the server does not answer", dashboards: [] };
}

/** `{ layout, problems, etag }`; null if the browser has the version of `etag`. */
export async function open(name, etag) {
  const answer = await ask("GET", name, etag ? { headers: { "If-None-Match": etag } } : {});
  if (answer.status === 304) return null;
  return { ...read(await answer.json()), etag: answer.headers.get("ETag") };
}
