import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, { readonly default: string }>>;
}

/** Folders of the workspace by package name, with what each exports. */
function workspace(): ReadonlyMap<
  string,
  { readonly folder: string; readonly manifest: Manifest }
> {
  const folders = ["packages", "apps"].flatMap((group) =>
    readdirSync(join(repository, group)).map((name) => join(repository, group, name)),
  );
  const found = folders.filter((folder) => existsSync(join(folder, "package.json")));
  return new Map(
    found.map((folder) => {
      const text = readFileSync(join(folder, "package.json"), "utf8");
      const manifest = JSON.parse(text) as Manifest;
      return [manifest.name, { folder, manifest }];
    }),
  );
}

/**
 * Every built file that can run where Bridle is installed: what the command and the apps import, at once or later, and what
 * they start as a process or thread of its own. Paths within the repository.
 */
export function shippedFiles(): ReadonlySet<string> {
  const packages = workspace();
  const reached = new Set<string>();
  const queue = ["apps/cli/dist/main.js", ...appEntries(packages)].map((path) =>
    resolve(repository, path),
  );
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const name of namesIn(readFileSync(file, "utf8"))) {
      const next = name.startsWith(".") ? resolve(dirname(file), name) : exported(packages, name);
      if (next !== undefined && existsSync(next)) queue.push(next);
    }
  }
  return new Set([...reached].map((file) => file.slice(repository.length)));
}

function appEntries(packages: ReturnType<typeof workspace>): readonly string[] {
  return [...packages.values()]
    .filter(({ folder }) => folder.includes("/apps/"))
    .flatMap(({ folder, manifest }) =>
      Object.values(manifest.exports ?? {}).map((entry) => join(folder, entry.default)),
    );
}

/** Of imports and re-exports, now or later, and of files named to be started as a process or thread. */
function namesIn(text: string): readonly string[] {
  const patterns = [
    /\bfrom\s*"([^"]+)"/g,
    /\bimport\(?\s*"([^"]+)"/g,
    /["`](\.{1,2}\/[^"`]+\.js)["`]/g,
  ];
  const names = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1]));
  const threads = [...text.matchAll(/"([a-z-]+-thread)"/g)].map((match) => `./${match[1]}.js`);
  return [...names.filter((name) => name !== undefined), ...threads];
}

function exported(packages: ReturnType<typeof workspace>, name: string): string | undefined {
  const [scope, short, ...rest] = name.split("/");
  const found = packages.get(`${scope}/${short}`);
  const subpath = rest.length === 0 ? "." : `./${rest.join("/")}`;
  const target = found?.manifest.exports?.[subpath]?.default;
  return found === undefined || target === undefined ? undefined : join(found.folder, target);
}

/** Packages from outside that these files import. */
export function librariesOf(files: ReadonlySet<string>): ReadonlySet<string> {
  const names = [...files].flatMap((file) => namesIn(readFileSync(join(repository, file), "utf8")));
  return new Set(names.filter((name) => !name.startsWith(".") && !name.startsWith("node:")));
}

export function textOf(file: string): string {
  return readFileSync(join(repository, file), "utf8");
}
