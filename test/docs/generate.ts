import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { withGuardSettings } from "./guard-settings.ts";
import { referencePages } from "./reference-pages.ts";

/** Writes `docs/reference`, and the settings in `docs/guards.md`. */
const folder = new URL("../../docs/reference/", import.meta.url);
await mkdir(folder, { recursive: true });
await Promise.all(
  referencePages().map(async ({ file, text }) =>
    writeFile(fileURLToPath(new URL(file, folder)), text),
  ),
);

const guards = fileURLToPath(new URL("../../docs/guards.md", import.meta.url));
await writeFile(guards, withGuardSettings(await readFile(guards, "utf8")));
