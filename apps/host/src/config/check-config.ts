import { isAgentDefinition } from "@bridle/agent";
import type { AnyAgent } from "@bridle/agent";
import { configFileSchema, livenessDefaults, livenessFaults } from "@bridle/protocol";
import type { ConfigFile, LivenessSettings, SpecIssue } from "@bridle/protocol";

import { closestName } from "./closest-name.ts";
import { configInvalid } from "./environment.ts";
import { pointerOf } from "./pointer-of.ts";

/** A configuration without faults: every name it uses is one it defines. */
export interface Config extends Omit<ConfigFile, "agents" | "liveness"> {
  readonly agents: readonly AnyAgent[];
  readonly liveness: LivenessSettings;
}

/** Checks all of it before it says anything: rejects with one `config_invalid` that lists every fault by key. */
export function checkConfig(value: unknown, source: string): Config {
  const parsed = configFileSchema.safeParse(value, { reportInput: true });
  if (!parsed.success) throw configInvalid(source, parsed.error.issues.flatMap(issuesOf));
  const liveness = { ...livenessDefaults, ...definedOf(parsed.data.liveness ?? {}) };
  const agents = parsed.data.agents.filter(isAgentDefinition);
  const issues = [
    ...notAgents(parsed.data.agents),
    ...doubleNames(agents),
    ...modelFaults(parsed.data),
    ...declaredFaults(agents, parsed.data),
    ...spawnFaults(agents),
    ...livenessFaults(liveness).map((message) => at("liveness", message)),
  ];
  if (issues.length > 0) throw configInvalid(source, issues);
  return { ...parsed.data, agents, liveness };
}

type ZodIssue = NonNullable<
  ReturnType<typeof configFileSchema.safeParse>["error"]
>["issues"][number];

/** What was written, for numbers and modes: a key or a URL with credentials must not reach a log. */
function received({ path: [section], input }: ZodIssue): string {
  if (!["budget", "guards", "isolates", "limits", "liveness"].includes(String(section))) return "";
  const shown = typeof input === "number" ? String(input) : JSON.stringify(input);
  return ` It is ${(shown ?? "missing").slice(0, 80)}.`;
}

/** Members a configuration may have at a path: those of the schema's object there. */
function namesAt(path: readonly PropertyKey[]): readonly string[] {
  let schema: unknown = configFileSchema;
  for (const part of path) {
    schema = inner(schema);
    const { shape, element, valueType } =
      (schema as { shape?: object; element?: unknown; valueType?: unknown }) ?? {};
    schema =
      shape === undefined ? (element ?? valueType) : (shape as Record<PropertyKey, unknown>)[part];
  }
  const { shape } = (inner(schema) ?? {}) as { shape?: object };
  return Object.keys(shape ?? {});
}

/** What an optional, a default or a prefault wraps. */
function inner(schema: unknown): unknown {
  let current = schema;
  while (
    typeof (current as { unwrap?: unknown } | undefined)?.unwrap === "function" &&
    !("element" in (current as object))
  ) {
    current = (current as { unwrap(): unknown }).unwrap();
  }
  return current;
}

function issuesOf(issue: ZodIssue): SpecIssue[] {
  const key = issue.path.map(String).join(".");
  const pointer = pointerOf(issue.path);
  if (issue.code !== "unrecognized_keys") {
    const what = key === "" ? "The configuration" : key;
    return [fault(pointer, `${what}: ${issue.message}${received(issue)}`)];
  }
  return issue.keys.map((name) => {
    const suggestion = closestName(name, namesAt(issue.path));
    const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
    const what = key === "" ? name : `${key}.${name}`;
    return fault(pointer, `${what}: there is no such setting.${hint}`);
  });
}

/** For keys made of fixed names. */
function at(key: string, message: string): SpecIssue {
  return fault(pointerOf(key.split(".")), message);
}

function fault(pointer: string, message: string): SpecIssue {
  return { pointer, code: "config_invalid", message };
}

function notAgents(agents: readonly unknown[]): readonly SpecIssue[] {
  return agents.flatMap((agent, index) =>
    isAgentDefinition(agent)
      ? []
      : [at(`agents.${index}`, `agents.${index}: expected what defineAgent returns.`)],
  );
}

function doubleNames(agents: readonly AnyAgent[]): readonly SpecIssue[] {
  const seen = new Set<string>();
  return agents.flatMap(({ name }, index) => {
    const isDouble = seen.has(name) || name === "llm";
    seen.add(name);
    return isDouble ? [at(`agents.${index}`, `agents.${index}: the name "${name}" is taken.`)] : [];
  });
}

function modelFaults({ models, providers }: ConfigFile): readonly SpecIssue[] {
  const issues: SpecIssue[] = [];
  for (const [name, model] of Object.entries(models)) {
    for (const [index, target] of model.chain.entries()) {
      const provider = target.slice(0, target.indexOf("/"));
      if (Object.hasOwn(providers, provider)) continue;
      issues.push(missing(`models.${name}.chain.${index}`, "provider", provider, providers));
    }
    if (model.cheaper === name) {
      const key = `models.${name}.cheaper`;
      issues.push(at(key, `${key}: a model cannot stand in for itself.`));
    }
    if (model.cheaper === undefined || Object.hasOwn(models, model.cheaper)) continue;
    issues.push(missing(`models.${name}.cheaper`, "model", model.cheaper, models));
  }
  return issues;
}

/** A model an agent declares and nobody configured would park its tasks by nobody's breaker. */
function declaredFaults(agents: readonly AnyAgent[], { models }: ConfigFile): readonly SpecIssue[] {
  return agents.flatMap(({ models: declared }, index) =>
    declared
      .filter((name) => !Object.hasOwn(models, name))
      .map((name) => missing(`agents.${index}.models`, "model", name, models)),
  );
}

/** LF-8: a task of nobody's agent would wait for ever. */
function spawnFaults(agents: readonly AnyAgent[]): readonly SpecIssue[] {
  const known = Object.fromEntries(
    ["llm", ...agents.map(({ name }) => name)].map((name) => [name, true]),
  );
  return agents.flatMap(({ spawns }, index) =>
    spawns
      .filter((name) => !Object.hasOwn(known, name))
      .map((name) => missing(`agents.${index}.spawns`, "agent", name, known)),
  );
}

function missing(key: string, kind: string, name: string, known: object): SpecIssue {
  const suggestion = closestName(name, Object.keys(known));
  const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
  return at(key, `${key}: there is no ${kind} "${name}".${hint}`);
}

function definedOf<Values extends object>(
  values: Values,
): { [Key in keyof Values]: NonNullable<Values[Key]> } {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined);
  // Safe: only members without a value were left out.
  return Object.fromEntries(defined) as { [Key in keyof Values]: NonNullable<Values[Key]> };
}
