/**
 * Looks for what is none of its business in every place where it may lie, as the worker's own user may. Says whether it came by it, not
 * what it was: a log or an answer may not say that.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";

import { defineAgent } from "@bridle/agent";

const module = import.meta.url;

const firstEnvironmentOf = (pid) => readFileSync(`/proc/${pid}/environ`, "latin1");

/** Some bytes of the first place in its memory that can be written to. */
function memoryOf(pid) {
  const maps = readFileSync(`/proc/${pid}/maps`, "latin1");
  const [, from = ""] = /^([0-9a-f]+)-[0-9a-f]+ rw/m.exec(maps) ?? [];
  const file = openSync(`/proc/${pid}/mem`, "r");
  try {
    return readSync(file, Buffer.alloc(16), 0, 16, Number(BigInt(`0x${from}`))) === 16;
  } finally {
    closeSync(file);
  }
}

async function isAnswered(url, token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v1/runs`, { headers });
  await answer.text();
  return answer.ok;
}

function readStore(dataFolder) {
  const path = readdirSync(dataFolder, { recursive: true }).find((name) =>
    name.endsWith("PG_VERSION"),
  );
  return readFileSync(join(dataFolder, path), "utf8").length > 0;
}

const thefts = {
  ownEnvironment: () => "CANARY_KEY" in process.env,
  ownStoreAddress: () => "BRIDLE_STORE_URL" in process.env,
  workersEnvironment: ({ pid }) => /CANARY_KEY=canary-[a-z]+/.test(firstEnvironmentOf(pid)),
  fileKeyInEnvironment: ({ pid }) => firstEnvironmentOf(pid).includes("canary-from-file"),
  fileOfKey: ({ keyFile }) => readFileSync(keyFile, "utf8").includes("canary-from-file"),
  memory: ({ pid }) => memoryOf(pid),
  configuration: async ({ config }) =>
    JSON.stringify((await import(config)).default).includes("canary-"),
  storeFiles: ({ dataFolder }) => readStore(dataFolder),
  apiWithoutToken: async ({ url }) => isAnswered(url),
  apiWithToken: async ({ url, dataFolder }) =>
    isAnswered(url, readFileSync(join(dataFolder, "token"), "utf8").trim()),
};

async function run(_, scene) {
  // A process was started by the worker; a thread and inline code are in it.
  const pid = process.pid === scene.worker ? process.pid : process.ppid;
  const found = {};
  for (const [name, steal] of Object.entries(thefts)) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as a thief goes from room to room
      found[name] = await steal({ ...scene, pid });
    } catch (error) {
      found[name] = String(error.code ?? error);
    }
  }
  return found;
}

export const thiefInProcess = defineAgent({ name: "thief-process", module, run });

const within = { module, run, trusted: true };
export const thiefInThread = defineAgent({
  name: "thief-thread",
  isolation: "thread",
  ...within,
});
export const thiefInline = defineAgent({ name: "thief-inline", isolation: "inline", ...within });
