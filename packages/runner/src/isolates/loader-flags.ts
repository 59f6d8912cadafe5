import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** Whether Node cannot run an agent's module by itself. It strips types from 22.18 on; before that tsx does (+100 ms per start, measured). */
export function needsLoader(module: string): boolean {
  return /\.[cm]?ts$/.test(module) && !hasTypeStripping();
}

/** What Node needs to run it in a process. In a thread the flag does nothing (measured on Node 20): there tsx is registered by hand. */
export function loaderFlags(module: string): readonly string[] {
  if (!needsLoader(module)) return [];
  const require = createRequire(import.meta.url);
  return ["--import", pathToFileURL(require.resolve("tsx")).href];
}

function hasTypeStripping(): boolean {
  const { typescript } = process.features as { readonly typescript?: string | false };
  return typeof typescript === "string";
}
