import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A secret by the name of where it was planted. */
export type Canaries = Readonly<Record<string, string>>;

/** Texts by the name of the place they are from. */
export type Places = ReadonlyMap<string, string>;

type Spelling = readonly [name: string, spell: (secret: string) => string];

/** What depends on the secret alone in base64 when so many bytes stand before it in its group of three. */
function base64At(offset: number): Spelling {
  return [
    `base64 at ${offset}`,
    (secret) => {
      const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
      // A character that also holds bits of a neighbour is left out at either end.
      const first = Math.ceil((offset * 8) / 6);
      const last = Math.floor((bytes.length * 8) / 6);
      return bytes.toString("base64").slice(first, last);
    },
  ];
}

function escapedForJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Ways in which a secret gets into a text: written here again, so that no redactor is judged by its own list. */
export const spellings: readonly Spelling[] = [
  ["plain", (secret) => secret],
  ["URL-encoded", encodeURIComponent],
  ["JSON-escaped", escapedForJson],
  ["JSON in JSON", (secret) => escapedForJson(escapedForJson(secret))],
  ["in hexadecimal", (secret) => Buffer.from(secret).toString("hex")],
  base64At(0),
  base64At(1),
  base64At(2),
  ["base64url", (secret) => Buffer.from(secret).toString("base64url").slice(0, -1)],
];

export interface Find {
  readonly canary: string;
  readonly spelling: string;
  readonly place: string;
  /** What stands around it, with the secret itself taken out. */
  readonly context: string;
}

/** Each canary in each spelling in each place; the first find of each. */
export function findCanaries(canaries: Canaries, places: Places): readonly Find[] {
  return [...places].flatMap(([place, text]) =>
    Object.entries(canaries).flatMap(([canary, secret]) =>
      spellings.flatMap(([spelling, spell]) => {
        const form = spell(secret);
        const at = text.indexOf(form);
        if (at === -1) return [];
        const before = text.slice(Math.max(0, at - 80), at);
        const context = `${before}[${canary}]${text.slice(at + form.length, at + form.length + 40)}`;
        return [{ canary, spelling, place, context }];
      }),
    ),
  );
}

/** Every file below a folder as it lies on the disk, without those that `skip` names by their path in it. */
export function filesBelow(folder: string, skip: readonly string[] = []): Places {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !skip.some((name) => path === join(folder, name)));
  return new Map(files.map((path) => [path, readFileSync(path, "latin1")]));
}

/** Start environment and arguments of a process; nothing once it is gone. */
export function processTexts(pid: number): Places {
  const texts = ["environ", "cmdline"].flatMap((name) => {
    try {
      return [[`/proc/${pid}/${name}`, readFileSync(`/proc/${pid}/${name}`, "latin1")] as const];
    } catch {
      return [];
    }
  });
  return new Map(texts);
}
