import { chainOf, entriesOf, registersTests } from "./calls.ts";
import type { Call } from "./calls.ts";
import type { Finding, Kind } from "./finding.ts";
import type { SourceFile } from "./source-file.ts";

const narrowing = {
  only: "narrowed",
  skip: "narrowed",
  todo: "narrowed",
  fails: "narrowed",
} as const;
const modifiers: Readonly<Record<string, Kind>> = {
  ...narrowing,
  skipIf: "skipped without a reason",
  runIf: "skipped without a reason",
};
const options: Readonly<Record<string, Kind>> = {
  ...narrowing,
  retry: "tried again",
  repeats: "tried again",
};
/** Names under which a test's own context is passed around. */
const contexts = new Set(["context", "ctx", "t", "task"]);

/** Tests that do not run, run alone, are expected to fail, or may fail now and then. */
export function narrowedTests(file: SourceFile, call: Call): readonly Finding[] {
  if (!registersTests(call)) return skipsItself(call) ? file.find("narrowed", call) : [];
  return [...byModifier(file, call), ...byOption(file, call), ...byContext(file, call)];
}

function byModifier(file: SourceFile, call: Call): readonly Finding[] {
  // Only the link that names the modifier: `it.skipIf(x)`, not `it.skipIf(x)("title")`.
  if (call.callee.type !== "MemberExpression") return [];
  return chainOf(call.callee)
    .slice(1)
    .flatMap((name) => {
      const kind = modifiers[name];
      return kind === undefined ? [] : file.find(kind, call);
    });
}

function byOption(file: SourceFile, call: Call): readonly Finding[] {
  return call.arguments
    .flatMap((argument) => [...entriesOf(argument)])
    .flatMap(([name, value]) => {
      const kind = options[name];
      return kind === undefined ? [] : file.find(kind, value);
    });
}

/** `({ skip }) => …`: a test that takes the means to leave itself out. */
function byContext(file: SourceFile, call: Call): readonly Finding[] {
  return call.arguments
    .flatMap((argument) =>
      argument.type === "ArrowFunctionExpression" || argument.type === "FunctionExpression"
        ? argument.params
        : [],
    )
    .flatMap((parameter) => {
      const skip = entriesOf(parameter).get("skip");
      return skip === undefined ? [] : file.find("narrowed", skip);
    });
}

function skipsItself({ callee }: Call): boolean {
  const [root, ...names] = chainOf(callee);
  return names.at(-1) === "skip" && contexts.has(root ?? "");
}
