import { join } from "node:path";

import { createPrivateFile, readPrivateFile, writePrivateFile } from "./data-folder.ts";
import { newSecret } from "./secrets.ts";

function tokenPath(dataDir: string): string {
  return join(dataDir, "token");
}

/** The token of this installation, made at the first start. Whoever can read the data folder may use the local API. */
export async function ensureInstallToken(dataDir: string): Promise<string> {
  const known = await readInstallToken(dataDir);
  if (known !== undefined) return known;
  const [path, token] = [tokenPath(dataDir), `brd_local_${newSecret()}`];
  if (await createPrivateFile(path, `${token}\n`)) return token;
  // A server and a worker that start together on a new folder must agree on one.
  const others = await readInstallToken(dataDir);
  if (others !== undefined) return others;
  // A file without a word.
  await writePrivateFile(path, `${token}\n`);
  return token;
}

/** Undefined when no server has been started on this folder yet. */
export async function readInstallToken(dataDir: string): Promise<string | undefined> {
  const text = await readPrivateFile(tokenPath(dataDir));
  const token = text?.trim();
  return token === "" ? undefined : token;
}
