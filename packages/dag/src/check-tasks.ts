import type { IssueList } from "./issue-list.ts";
import { isRecord } from "./read-tasks.ts";
import type { DraftTask } from "./read-tasks.ts";
import { suggest } from "./suggest.ts";
import { hasExpression } from "./template.ts";

export interface KnownNames {
  /** Configured agents; any name is accepted when absent. */
  readonly agents?: readonly string[] | undefined;
  readonly models?: readonly string[] | undefined;
}

/** Who does the task, and fields that have no meaning beside others. */
export function checkTask(task: DraftTask, known: KnownNames, issues: IssueList): void {
  const { raw, pointer } = task;
  const hasAgent = raw["agent"] !== undefined;
  const hasModel = raw["llm"] !== undefined;
  if (hasAgent === hasModel) {
    const message = hasAgent
      ? "A task has an agent or an llm prompt, not both."
      : "A task needs an agent, or an llm prompt.";
    issues.add({ pointer, code: "agent_or_llm", message });
  }
  checkName(issues, {
    kind: "agent",
    name: raw["agent"],
    known: known.agents,
    pointer: `${pointer}/agent`,
  });
  const model = isRecord(raw["llm"]) ? raw["llm"]["model"] : undefined;
  checkName(issues, {
    kind: "model",
    name: model,
    known: known.models,
    pointer: `${pointer}/llm/model`,
  });
  if (hasModel && raw["input"] !== undefined) {
    misplaced(
      issues,
      `${pointer}/input`,
      "input has no meaning in an llm task: the prompt is its input.",
    );
  }
  if (raw["concurrency"] !== undefined && raw["forEach"] === undefined) {
    misplaced(issues, `${pointer}/concurrency`, "concurrency has no meaning without forEach.");
  }
}

function misplaced(issues: IssueList, pointer: string, message: string): void {
  issues.add({ pointer, code: "misplaced_key", message });
}

interface Named {
  readonly kind: "agent" | "model";
  readonly name: unknown;
  readonly known: readonly string[] | undefined;
  readonly pointer: string;
}

function checkName(issues: IssueList, { kind, name, known, pointer }: Named): void {
  if (typeof name !== "string" || known === undefined) return;
  if (known.includes(name) || (kind === "model" && hasExpression(name))) return;
  const meant = suggest(name, known);
  issues.add({
    pointer,
    code: `unknown_${kind}`,
    message: `No ${kind} "${name}" is configured.`,
    suggestion: meant,
  });
}
