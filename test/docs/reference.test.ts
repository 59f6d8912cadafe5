import { readFile } from "node:fs/promises";

import { errorTable, eventClasses, routeTable } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { withGuardSettings } from "./guard-settings.ts";
import { referencePages } from "./reference-pages.ts";

const pages = referencePages();
const written = async (file: string): Promise<string> =>
  readFile(new URL(`../../docs/reference/${file}`, import.meta.url), "utf8");

describe("docs/reference", () => {
  it.each(pages)("$file says what the code does (if not: npm run docs)", async ({ file, text }) => {
    expect(await written(file)).toBe(text);
  });

  it("has a line for every error, event and route", async () => {
    const [errors, events, api] = await Promise.all(
      ["errors.md", "events.md", "api.md"].map(written),
    );
    for (const code of Object.keys(errorTable)) expect(errors).toContain(`| \`${code}\` |`);
    for (const type of Object.keys(eventClasses)) expect(events).toContain(`| \`${type}\` |`);
    for (const { method, path } of Object.values(routeTable)) {
      expect(api).toContain(`## ${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\n`);
    }
  });
});

it("docs/guards.md has every setting of a guard, with the schema's range and the code's default (if not: npm run docs)", async () => {
  const page = await readFile(new URL("../../docs/guards.md", import.meta.url), "utf8");
  expect(withGuardSettings(page)).toBe(page);
  expect(page).toMatch(
    /\| `guards.breaker.inFlightCap` +\| whole number from 1 to 1000000 +\| `64` /,
  );
});
