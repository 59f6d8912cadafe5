import { access, constants } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import type { DoctorCheck, Finding } from "./finding.ts";

/** Whether the store can be used, without opening it: to open means to migrate, and to lock an embedded one. */
export const storeCheck: DoctorCheck = {
  name: "store",
  run: async ({ environment }) => {
    if (environment === undefined) return [];
    const { storeUrl } = environment;
    if (storeUrl === "memory:") {
      const finding = "The store is in memory: nothing survives the end of the process.";
      return [{ code: "store_in_memory", level: "note", finding }];
    }
    return [
      storeUrl.startsWith("pglite:") ? await embedded(storeUrl.slice(7)) : await server(storeUrl),
    ];
  },
};

async function embedded(folder: string): Promise<Finding> {
  const path = resolve(folder);
  const details = { path };
  if (await isUsable(path)) {
    const finding = `The embedded store is in ${path}. It survives the death of the process, not a loss of power.`;
    return { code: "store_usable", level: "ok", finding, details };
  }
  if (await isThere(path)) return unwritable(path);
  const parent = await nearest(dirname(path));
  if (!(await isUsable(parent))) return unwritable(parent);
  const finding = `There is no store in ${path} yet; the first start makes one.`;
  return { code: "store_absent", level: "note", finding, details };
}

function unwritable(path: string): Finding {
  return {
    code: "store_unwritable",
    level: "act",
    finding: `${path} cannot be written by this user.`,
    todo: "Check the folder's rights, or choose another with BRIDLE_STORE_URL.",
    details: { path },
  };
}

/** The folder itself, or the first above it that is there. */
async function nearest(path: string): Promise<string> {
  return (await isThere(path)) || dirname(path) === path ? path : nearest(dirname(path));
}

async function isThere(path: string): Promise<boolean> {
  return can(path, constants.F_OK);
}

async function isUsable(path: string): Promise<boolean> {
  return can(path, constants.R_OK | constants.W_OK | constants.X_OK);
}

async function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Rejects with `store_unavailable`, which says why. */
async function server(url: string): Promise<Finding> {
  const { createPostgresDatabase } = await import("@bridle/store-postgres");
  const database = await createPostgresDatabase({ url, onError: () => undefined });
  try {
    const { durability } = database;
    return { code: "store_usable", level: "ok", finding: `The store answers. ${durability}` };
  } finally {
    await database.close();
  }
}
