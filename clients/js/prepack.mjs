// Copies what the package shares with the server's page and with the repository. It has one source.
import { cpSync, rmSync } from "node:fs";

const here = new URL("./", import.meta.url);
const root = new URL("../../", here);

for (const [name, source] of [
  ["client.js", "public/client.js"],
  ["client.d.ts", "public/client.d.ts"],
  ["client", "public/client"],
  ["LICENSE", "LICENSE"],
]) {
  rmSync(new URL(name, here), { recursive: true, force: true });
  cpSync(new URL(source, root), new URL(name, here), { recursive: true });
}
