// Dashboards saved on the server, and the names of their files.
import { ask } from "/dash/saved.js";

/** Saves over the version of `etag`, or with null as a new one; returns the entity tag. */
export async function save(name, layout, etag) {
  const headers = { "Content-Type": "application/json", ...(etag ? { "If-Match": etag } : { "If-None-Match": "*" }) };
  const answer = await ask("PUT", name, { headers, body: `${JSON.stringify(layout, null, 2)}\n` });
  return answer.headers.get("ETag");
}

export const remove = (name, etag) => ask("DELETE", name, { headers: etag ? { "If-Match": etag } : {} });

/** A title as the name of a file: letters, digits and hyphens. */
export const nameOf = (title) => title.normalize("NFKD").replace(/[^A-Za-z0-9_.-]+/g, "-")
  .replace(/^[-.]+|[-.]+$/g, "").slice(0, 60).toLowerCase() || "dashboard";

/** The title, or the title with the first number that makes the name of its file a new one. */
export function suggest(title, dashboards) {
  const taken = new Set(dashboards.map(({ name }) => name));
  for (let i = 1; ; i++) {
    const suggested = i === 1 ? title : `${title} ${i}`;
    if (!taken.has(nameOf(suggested))) return suggested;
  }
}
