/** Run by the package's build: a data folder that holds the schemas of store and queue already, beside the compiled code. */
import { readFile, writeFile } from "node:fs/promises";

import { migrateQueue, queueSchemaVersion } from "@bridle/queue-bullmq";
import { archiveFile, writePgliteArchive } from "@bridle/store-postgres/pglite";

import { preparedFolder } from "./prepared-folder.ts";

/** Names what the archive was made of: it takes four seconds to make, and seldom changes. */
const stamp = new URL(`${preparedFolder.href}.made-of`);
const ingredients = `${(await archiveFile()).href.replace(/^.*\//, "")} queue ${queueSchemaVersion}`;

const madeOf = await readFile(stamp, "utf8").catch(() => undefined);
if (madeOf !== ingredients) {
  await writePgliteArchive({ file: preparedFolder, prepare: migrateQueue });
  await writeFile(stamp, ingredients);
}
