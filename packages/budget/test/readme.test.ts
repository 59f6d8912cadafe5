import { readFile } from "node:fs/promises";

import * as budget from "@bridle/budget";
import * as kernelTesting from "@bridle/kernel/testing";
import * as protocol from "@bridle/protocol";
import { describe, expect, it } from "vitest";

const modules: Readonly<Record<string, object>> = {
  "@bridle/budget": budget,
  "@bridle/kernel/testing": kernelTesting,
  "@bridle/protocol": protocol,
};

/** Runs the example as it stands: its imports become parameters, its console is ours. */
async function runExample(): Promise<readonly string[]> {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  if (code === undefined) throw new Error("The README has no example.");
  const names: string[] = [];
  const values: unknown[] = [];
  const body = code.replaceAll(/import \{([^}]*)\} from "([^"]*)";/g, (_, list: string, from) => {
    for (const name of list.match(/\w+/g) ?? []) {
      names.push(name);
      values.push(Reflect.get(modules[String(from)] ?? {}, name));
    }
    return "";
  });
  const printed: string[] = [];
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
  const example = new AsyncFunction(...names, "console", body) as (
    ...parameters: unknown[]
  ) => Promise<void>;
  await example(...values, { log: (line: string) => printed.push(line) });
  return printed;
}

describe("the README's example", () => {
  it("reserves, sends and settles a call", async () => {
    expect(await runExample()).toEqual(["budget.reserved", "budget.settled"]);
  });
});
