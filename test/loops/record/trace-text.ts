import type { Trace } from "../trace.ts";

/** A trace as a file: one step a line. */
export function traceText({ steps, ...head }: Trace): string {
  const members = Object.entries(head)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  const lines = steps.map((step) => `    ${JSON.stringify(step)}`);
  return `{\n${members.join("")}  "steps": [\n${lines.join(",\n")}\n  ]\n}\n`;
}
