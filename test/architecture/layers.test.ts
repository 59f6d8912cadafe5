import { readdirSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { libraryHomes, mayImport } from "./layers.ts";

const packages = Object.keys(mayImport);

function manifest(name: string): { readonly dependencies?: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8")) as {
    dependencies?: Record<string, string>;
  };
}

function sources(name: string): readonly string[] {
  return readdirSync(`packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `packages/${name}/src/${file}`);
}

/** What a source file imports from outside its own package. */
function imports(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"([^".][^"]*)"/g)].map(
    ([, specifier]) => specifier ?? "",
  );
}

test("every package has a place in the layer order", () => {
  expect(readdirSync("packages").toSorted()).toEqual(packages.toSorted());
});

test.each(packages)("%s declares only dependencies in the layers beneath it", (name) => {
  const internal = Object.keys(manifest(name).dependencies ?? {}).filter((dependency) =>
    dependency.startsWith("@bridle/"),
  );
  const beneath = (mayImport[name] ?? []).map((layer) => `@bridle/${layer}`);
  expect(beneath).toEqual(expect.arrayContaining(internal));
});

test.each(packages)("%s imports only from the layers beneath it", (name) => {
  const upward = sources(name).flatMap((file) =>
    imports(file)
      .map((specifier) => /^@bridle\/([^/]+)/.exec(specifier)?.[1])
      .filter(
        (target) => target !== undefined && target !== name && !mayImport[name]?.includes(target),
      )
      .map((target) => `${file} → ${target}`),
  );
  expect(upward).toEqual([]);
});

test.each(Object.entries(libraryHomes))("%s is imported in its one home", (library, homes) => {
  const strangers = packages
    .filter((name) => !homes.includes(name))
    .flatMap(sources)
    .filter((file) =>
      imports(file).some(
        (specifier) => specifier === library || specifier.startsWith(`${library}/`),
      ),
    );
  expect(strangers).toEqual([]);
});
