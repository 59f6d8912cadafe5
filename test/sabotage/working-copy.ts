/**
 * A copy of the repository in which bugs may be planted.
 *
 * 1. Sources are copied, so nothing that is planted reaches the tree it was copied from.
 * 2. `node_modules` is linked entry by entry, but for the workspace's own packages: those links point into the copy.
 * 3. `dist` is linked: what runs in a thread or a process is the unplanted code. No plant may rely on it.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import type { Edit } from "./plant.ts";
import { timesFound } from "./stands-once.ts";

/** `.git`, and what it ignores. */
const notCopied = new Set([
  ".git",
  "node_modules",
  "dist",
  ".turbo",
  ".bridle",
  "coverage",
  ".bench",
  ".mutation",
]);
/** Caches know paths and contents of the tree they were made for. */
const notLinked = new Set([".cache", ".vite", ".vite-temp", ".package-lock.json"]);

export interface CopySource {
  /** The tree to copy. */
  readonly from: string;
  /** The folder whose `node_modules` are used; the tree itself, unless it lies within another. */
  readonly modulesOf: string;
}

export class WorkingCopy {
  readonly root: string;

  constructor({ from, modulesOf }: CopySource) {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "bridle-sabotage-")));
    cpSync(from, this.root, {
      recursive: true,
      filter: (path) => path === from || !notCopied.has(basename(path)),
    });
    linkModules(join(modulesOf, "node_modules"), join(this.root, "node_modules"));
    for (const folder of foldersOfPackages(this.root))
      linkBuilt(join(from, folder), join(this.root, folder));
  }

  /** Does it; the answer undoes it. */
  plant(edit: Edit): () => void {
    const times = timesFound(edit, this.root);
    if (times !== 1) {
      throw new Error(`Its search text stands ${times} times in ${edit.file}, not once.`);
    }
    const path = join(this.root, edit.file);
    const before = readFileSync(path, "utf8");
    // Split, not replaced: `$` means something in a replacement.
    writeFileSync(path, before.split(edit.find).join(edit.replace));
    return () => writeFileSync(path, before);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Folders with a manifest of their own, from the root. */
function foldersOfPackages(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => basename(path) === "package.json" && !path.includes("node_modules"))
    .map((path) => dirname(path))
    .filter((folder) => folder !== ".");
}

function linkModules(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (notLinked.has(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith("@")) linkModules(source, target);
    // npm links a package of the workspace relative to the link: the same text is right in the copy.
    else symlinkSync(entry.isSymbolicLink() ? readlinkSync(source) : source, target);
  }
}

function linkBuilt(from: string, to: string): void {
  for (const name of ["dist", "node_modules"]) {
    if (existsSync(join(from, name)) && !existsSync(join(to, name))) {
      symlinkSync(realpathSync(join(from, name)), join(to, name));
    }
  }
}
