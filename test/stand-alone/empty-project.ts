/**
 * A folder in which nothing is installed but the packages one asks for, as `npm pack` makes them.
 *
 * What a package does not declare it does not get: its own kind comes from tarballs, everybody else's is linked, and only when a
 * manifest on the way asks for it. No registry is asked.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { transformWithOxc } from "vite";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../", import.meta.url));
const ours = "@bridle/";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

export class EmptyProject {
  readonly #folder: string;
  readonly #installed = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  get installed(): readonly string[] {
    return [...this.#installed].toSorted();
  }

  /** Installs a package and what it declares. Rejects when `npm pack` or `tar` does. */
  async install(name: string): Promise<void> {
    if (this.#installed.has(name)) return;
    this.#installed.add(name);
    const target = join(this.#folder, "node_modules", name);
    await mkdir(dirname(target), { recursive: true });
    if (!name.startsWith(ours)) {
      await symlink(join(repository, "node_modules", name), target);
      return;
    }
    await this.#unpack(name, target);
    const manifest = JSON.parse(await readFile(join(target, "package.json"), "utf8")) as Manifest;
    for (const dependency of Object.keys(manifest.dependencies ?? {})) {
      // oxlint-disable-next-line no-await-in-loop -- a dependency met twice is installed once
      await this.install(dependency);
    }
  }

  /** Runs TypeScript as a program of this folder, and gives what it printed, line by line. Rejects when it ends otherwise than with 0. */
  async run(source: string): Promise<readonly string[]> {
    const { code } = await transformWithOxc(source, "example.ts");
    const program = join(this.#folder, "example.mjs");
    await writeFile(program, code);
    const stdout = await this.#node(program);
    return stdout.trimEnd().split("\n");
  }

  /** Runs the command of an installed package, as a shell would, and gives what it printed. Rejects when it ends otherwise than with 0. */
  async command(name: string, bin: string, args: readonly string[]): Promise<string> {
    return this.#node(join(this.#folder, "node_modules", name, bin), ...args);
  }

  async #node(...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env["PATH"] ?? "" };
    const { stdout } = await run(process.execPath, args, { cwd: this.#folder, env });
    return stdout;
  }

  async #unpack(name: string, target: string): Promise<void> {
    const packed = await realpath(join(repository, "node_modules", name));
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", this.#folder], {
      cwd: packed,
    });
    const [tarball] = JSON.parse(stdout) as readonly { readonly filename: string }[];
    if (tarball === undefined) throw new Error(`npm pack made no tarball of ${name}: ${stdout}`);
    await mkdir(target);
    await run("tar", [
      "-xzf",
      join(this.#folder, tarball.filename),
      "--strip-components=1",
      "-C",
      target,
    ]);
  }
}
