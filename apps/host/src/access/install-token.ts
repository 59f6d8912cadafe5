import { join } from "node:path";

import { readPrivateFile, writePrivateFile } from "./data-folder.ts";
import { newSecret } from "./secrets.ts";

function tokenPath(dataDir: string): string {
  return join(dataDir, "token");
}

/** The token of this installation, made at the first start. Whoever can read the data folder may use the local API. */
export async function ensureInstallToken(dataDir: string): Promise<string> {
  const known = await readInstallToken(dataDir);
  if (known !== undefined) return known;
  const token = `brd_local_${newSecret()}`;
  await writePrivateFile(tokenPath(dataDir), `${token}\n`);
  return token;
}

/** Undefined when no server has been started on this folder yet. */
export async function readInstallToken(dataDir: string): Promise<string | undefined> {
  const text = await readPrivateFile(tokenPath(dataDir));
  const token = text?.trim();
  return token === "" ? undefined : token;
}
