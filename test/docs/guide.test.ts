/** What the pages for users say is held to the code: examples compile, commands parse, links lead somewhere. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { runProgram } from "@bridle/cli";
import { compileWorkflow } from "@bridle/dag";
import { variables } from "@bridle/host";
import { errorTable, eventClasses, workflowSpecSchema } from "@bridle/protocol";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";

import { exitCodes } from "../../apps/cli/src/index.ts";
import { fakeIo } from "../../apps/cli/test/fake-io.ts";
import {
  anchorsOf,
  commandsOf,
  handWrittenPages,
  linksOf,
  readPage,
  repository,
} from "./markdown.ts";
import type { Block } from "./markdown.ts";
import { typeFaults } from "./type-faults.ts";

const pages = handWrittenPages();
const blocks = pages.flatMap((page) => page.blocks);

function place({ page, line }: Block): string {
  return `${page}:${line}`;
}

const workflows = blocks.filter(({ language }) => language === "yaml");

test.each(workflows.map((block) => [place(block), block] as const))(
  "the workflow at %s compiles, or is refused for the reason it names",
  (_place, { text, notes }) => {
    const spec = parse(text) as object;
    const compiled = compileWorkflow({ name: "part", ...spec });
    const codes = compiled.ok ? [] : compiled.issues.map(({ code }) => code);
    expect(codes).toEqual(notes["refused"] === undefined ? [] : [notes["refused"]]);
  },
);

it("every TypeScript block has the types it claims", async () => {
  const code = blocks.filter(({ language }) => language === "ts");
  expect(code.length).toBeGreaterThan(5);
  expect(await typeFaults(code)).toEqual([]);
}, 60_000);

it("a TypeScript block with a wrong type is found", async () => {
  const block = blocks.find(({ language }) => language === "ts");
  if (block === undefined) throw new Error("There is no TypeScript block.");
  const wrong = { ...block, text: `${block.text}\nexport const count: number = "three";\n` };
  expect((await typeFaults([wrong])).join("\n")).toContain("TS2322");
}, 60_000);

/** Words of a command line, quotes taken off. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/["']/g, ""),
  );
}

const commands = [...new Set(pages.flatMap(commandsOf))];
const ofBridle = commands
  .map((command) => command.replace(/^(?:[A-Z_]+=\S+ )+/, "").replace(/ &$/, ""))
  .filter((command) => /^bridle\s/.test(command));

test.each(ofBridle)("`%s` names a command and options that exist", async (command) => {
  const [, ...words] = wordsOf(command);
  const io = fakeIo();
  expect(await runProgram([...words, "--help"], io)).toBe(0);
  const usage = /^Usage: bridle ?(.*)$/m.exec(io.outText)?.[1] ?? "";
  const path = usage.split(" ").filter((word) => /^[a-z]+$/.test(word));
  expect(words.slice(0, path.length)).toEqual(path);
  // What takes no argument is followed by options alone.
  const next = usage.includes("<") ? undefined : words[path.length];
  expect(next ?? "--none").toMatch(/^-/);
  for (const option of words.filter((word) => /^--?[a-z]/.test(word))) {
    expect(io.outText).toMatch(new RegExp(`(?:^|[\\s,])${option}\\b`, "m"));
  }
});

it("npm scripts and programs that pages name exist", () => {
  const { scripts } = JSON.parse(readFileSync(`${repository}package.json`, "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = pages.flatMap(({ text }) => [...text.matchAll(/npm run ([a-z:]+)/g)]);
  expect(named.map(([, name = ""]) => name).filter((name) => !(name in scripts))).toEqual([]);
  const programs = pages.flatMap(({ text }) => [...text.matchAll(/[\w./-]+\/dist\/[\w./-]+\.js/g)]);
  const sources = programs.map(([path]) =>
    path
      .replace(/^.*(?=apps|fake-agents)/, "")
      .replace("/dist/", "/src/")
      .replace(".js", ".ts"),
  );
  expect(sources.filter((path) => !existsSync(`${repository}${path}`))).toEqual([]);
});

test.each(pages.map((page) => [page.path, page] as const))(
  "links of %s lead somewhere",
  (_, page) => {
    const broken = linksOf(page).flatMap(({ target }) => {
      const [file = "", anchor] = target.split("#", 2);
      const path = file === "" ? page.path : join(dirname(page.path), file);
      if (!existsSync(`${repository}${path}`)) return [target];
      return anchor === undefined || anchorsOf(readPage(path)).includes(anchor) ? [] : [target];
    });
    expect(broken).toEqual([]);
  },
);

it("every decision is in the index of decisions", async () => {
  const { readdir } = await import("node:fs/promises");
  const index = readFileSync(`${repository}docs/adr/README.md`, "utf8");
  const files = (await readdir(`${repository}docs/adr`)).filter((name) => /^\d{4}-/.test(name));
  expect(files.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

/** Names of all members of a workflow's schema, at any depth. */
function namesIn(schema: unknown): readonly string[] {
  const { shape, innerType, element, options } = (schema as { def?: Definition }).def ?? {};
  const inner = [innerType, element, ...(options ?? []), ...Object.values(shape ?? {})];
  const below = inner.filter((member) => member !== undefined).flatMap(namesIn);
  return Object.keys(shape ?? {}).concat(below);
}

interface Definition {
  readonly shape?: Readonly<Record<string, unknown>>;
  readonly innerType?: unknown;
  readonly element?: unknown;
  readonly options?: readonly unknown[];
}

describe("names in the pages are those of the code", () => {
  const everything = pages.map(({ text }) => text).join("\n");

  it("each field of a workflow is explained", () => {
    const page = readPage("docs/guide/workflows.md").text;
    const ofBreaker = new Set(["breaker", ...namesIn(workflowSpecSchema.shape.guards)]);
    const names = [...new Set(namesIn(workflowSpecSchema))].filter((name) => !ofBreaker.has(name));
    expect(names).toContain("maxFailures");
    expect(names.filter((name) => !new RegExp(`\`[^\`]*\\b${name}\\b`).test(page))).toEqual([]);
  });

  it("each error of the troubleshooting table exists", () => {
    const page = readPage("docs/operations.md").text;
    const table = page.slice(page.indexOf("## Troubleshooting"));
    const codes = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, code = ""]) => code);
    expect(codes.length).toBeGreaterThan(15);
    expect(codes.filter((code) => !(code in errorTable))).toEqual([]);
  });

  it("the exit codes are those of the CLI", () => {
    const page = readPage("docs/operations.md").text;
    const table = page.slice(page.indexOf("## Exit codes"), page.indexOf("## Troubleshooting"));
    const codes = [...table.matchAll(/^\| (\d+)\s+\|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(exitCodes));
  });

  it("each variable and each event exists", () => {
    const named = [...everything.matchAll(/`(BRIDLE_[A-Z_]+)`/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in variables))).toEqual([]);
    const events = [...everything.matchAll(/`((?:run|task|step|budget|breaker)\.[a-z_]+)`/g)];
    expect(events.map(([, name = ""]) => name).filter((name) => !(name in eventClasses))).toEqual(
      ["run.snapshot"].filter((name) => everything.includes(`\`${name}\``)),
    );
  });
});
