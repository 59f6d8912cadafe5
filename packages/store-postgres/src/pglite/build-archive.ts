/** Run by the package's build: leaves the prepared data folder beside the compiled code. */
import { readdir, rm, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { archiveFile } from "./data-folder.ts";
import { writePgliteArchive } from "./write-archive.ts";

const file = await archiveFile();
const isThere = await stat(file).then(
  () => true,
  () => false,
);
if (!isThere) {
  await writePgliteArchive({ file });
  await removeOthers();
}

/** Archives of earlier schemas. */
async function removeOthers(): Promise<void> {
  const folder = new URL("./", file);
  const names = await readdir(folder);
  await Promise.all(
    names
      .filter((name) => /^pglite-[0-9a-f]{12}\.tar\.gz/.test(name) && !file.href.endsWith(name))
      .map(async (name) => rm(fileURLToPath(new URL(name, folder)), { force: true })),
  );
}
