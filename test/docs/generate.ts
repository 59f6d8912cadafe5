import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { referencePages } from "./reference-pages.ts";

/** Writes `docs/reference`. */
const folder = new URL("../../docs/reference/", import.meta.url);
await mkdir(folder, { recursive: true });
await Promise.all(
  referencePages().map(async ({ file, text }) =>
    writeFile(fileURLToPath(new URL(file, folder)), text),
  ),
);
