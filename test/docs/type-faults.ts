import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { repository } from "./markdown.ts";
import type { Block } from "./markdown.ts";

/**
 * What the compiler has against these blocks, one line each. Blocks of one page that name a file (`file=agents.ts`) form a
 * project together; any other block is a module of its own.
 */
export async function typeFaults(blocks: readonly Block[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-docs-"));
  try {
    await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
    await Promise.all(blocks.map(async (block) => writeBlock(folder, block)));
    const settings = {
      extends: join(repository, "tsconfig.base.json"),
      compilerOptions: {
        composite: false,
        declaration: false,
        declarationMap: false,
        noEmit: true,
      },
      include: ["**/*.ts"],
      exclude: ["node_modules"],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    return await compile(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeBlock(folder: string, { page, line, notes, text }: Block): Promise<void> {
  const project = page.replaceAll(/[^a-z]/gi, "-");
  const named = notes["file"];
  const path = named === undefined ? [project, `line-${line}`, "block.ts"] : [project, named];
  const file = join(folder, ...path);
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
}

async function compile(folder: string): Promise<readonly string[]> {
  const compiler = join(repository, "node_modules", "typescript", "bin", "tsc");
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [compiler, "-p", folder, "--pretty", "false"],
      (error, stdout, stderr) => {
        if (error !== null && stdout === "") reject(new Error(stderr || error.message));
        else resolve(stdout.split("\n").filter((text) => text.includes("error")));
      },
    );
  });
}
