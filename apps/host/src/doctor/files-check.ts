import { stat } from "node:fs/promises";
import { join } from "node:path";

import type { DoctorCheck, Finding } from "./finding.ts";

/** Whoever can read these may use the API. */
const privateFiles = ["token", "keys.json"] as const;
const groupAndOthers = 0o077;

export const filesCheck: DoctorCheck = {
  name: "files",
  run: async ({ environment }) => {
    if (environment === undefined || process.platform === "win32") return [];
    const { dataDir } = environment;
    const paths = privateFiles.map((name) => join(dataDir, name));
    const findings = await Promise.all(paths.map(async (path) => checkFile(path)));
    return findings.flat();
  },
};

async function checkFile(path: string): Promise<readonly Finding[]> {
  const mode = await modeOf(path);
  if (mode === undefined) return [];
  const shown = mode.toString(8).padStart(3, "0");
  const details = { path, mode: shown };
  if ((mode & groupAndOthers) === 0) {
    const finding = `${path} is readable by its owner only.`;
    return [{ code: "file_private", level: "ok", finding, details }];
  }
  const finding = `${path} has mode ${shown}: others on this machine can use the API with it.`;
  const todo = `chmod 600 ${path}`;
  return [{ code: "file_readable_by_others", level: "act", finding, todo, details }];
}

/** Undefined when there is no such file: no server has been started here yet, or no key made. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
}
