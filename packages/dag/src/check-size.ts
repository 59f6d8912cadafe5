import { defaultLimits } from "@bridle/protocol";

import { escapePointer } from "./template.ts";

/** Bounds of a workflow, and of any JSON that is walked by recursion later. */
export const specLimits = {
  tasks: defaultLimits.maxTasks,
  edges: 100_000,
  /** Nested lists and objects. */
  depth: 40,
  values: 500_000,
  /** Characters of all keys and texts together. */
  characters: 4 * 1_048_576,
} as const;

export interface SizeFault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

interface Visit {
  readonly value: unknown;
  readonly depth: number;
  readonly pointer: string;
}

/**
 * Looks at all of a foreign value before anything recursive does. Iterative; an object that contains itself is too deep.
 * Undefined when it is within bounds.
 */
export function checkSize(root: unknown): SizeFault | undefined {
  const open: Visit[] = [{ value: root, depth: 0, pointer: "" }];
  let values = 0;
  let characters = 0;
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    values += 1;
    characters += lengthOf(visit.value);
    if (values > specLimits.values || characters > specLimits.characters) return tooLarge;
    const fault = openMembers(visit, open);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return 0;
  return Object.keys(value).reduce((sum, key) => sum + key.length, 0);
}

function openMembers({ value, depth, pointer }: Visit, open: Visit[]): SizeFault | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= specLimits.depth) return tooDeep(pointer);
  for (const [key, member] of Object.entries(value)) {
    const at = `${pointer}/${escapePointer(key)}`;
    if (key === "__proto__") return prototypeKey(at);
    open.push({ value: member, depth: depth + 1, pointer: at });
  }
  return undefined;
}

const tooLarge: SizeFault = {
  pointer: "",
  code: "too_large",
  message: `It has more than ${specLimits.values} values or ${specLimits.characters} characters.`,
};

function tooDeep(pointer: string): SizeFault {
  return { pointer, code: "too_deep", message: `It is nested deeper than ${specLimits.depth}.` };
}

/** B196: as a key of plain data it is never meant well. */
function prototypeKey(pointer: string): SizeFault {
  return { pointer, code: "name_reserved", message: "The key __proto__ is not allowed." };
}
