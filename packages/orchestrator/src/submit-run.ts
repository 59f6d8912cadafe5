import { describeShortage, nextDayAt } from "@bridle/budget";
import { compileWorkflow, validateInput } from "@bridle/dag";
import type { CompiledWorkflow } from "@bridle/dag";
import type { Clock, CodedError, Ids } from "@bridle/kernel";
import type { DaySpent, Store, SubmitAnswer } from "@bridle/ports";
import { asRunId, bridleError, installationScope, keyScope, toWireAmounts } from "@bridle/protocol";
import type { Amounts, OuterLimit, SpecIssue } from "@bridle/protocol";

/** S9: how long a key answers with the run of its first use. */
const idempotencyMs = 24 * 3_600_000;

export interface SubmitRequest {
  /** The workflow as it came in, not yet checked. */
  readonly spec: unknown;
  readonly input: Readonly<Record<string, unknown>>;
  /** W3C trace id the caller is in; a new one otherwise. */
  readonly traceId?: string | undefined;
  /** Who submits, where callers have names: cached answers are shared within a tenant only (BU-18). */
  readonly tenant?: string | undefined;
  /** What everything that this tenant submits may spend in a day; absent: no limit of its own (BU-5). */
  readonly tenantPerDay?: Amounts | undefined;
  /** The key scoped to its owner, and a hash of the request's body. */
  readonly idempotency?: { readonly key: string; readonly bodyHash: string } | undefined;
}

export interface SubmitOptions {
  readonly store: Pick<Store, "runs" | "feed">;
  readonly clock: Clock;
  readonly ids: Ids;
  /** A fresh W3C trace id: 32 hexadecimal digits. */
  readonly newTraceId: () => string;
  readonly agents: readonly string[];
  readonly models: readonly string[];
  /** What the installation may spend in a day; absent: no limit, and nothing is counted (BU-3). */
  readonly perDay?: Amounts | undefined;
}

export type Submit = (
  request: SubmitRequest,
) => Promise<Extract<SubmitAnswer, { traceId: string }>>;

function refuse(code: "spec_invalid" | "input_invalid", issues: readonly SpecIssue[]): never {
  const first = issues[0];
  const place =
    first === undefined ? "" : ` ${first.pointer === "" ? "/" : first.pointer}: ${first.message}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  throw bridleError(code, {
    message: `The ${code === "spec_invalid" ? "workflow" : "input"} has ${issues.length} error(s).${place}${more}`,
    details: { issues },
  });
}

/**
 * Checks everything, then stores everything: a refused submit leaves nothing behind.
 * Rejects with `spec_invalid` or `input_invalid` (`details.issues`), `idempotency_conflict`, or `day_budget_spent`.
 */
export function createSubmit(options: SubmitOptions): Submit {
  const { store, clock, ids, newTraceId, agents, models } = options;
  return async (request) => {
    const { spec, input, tenant, traceId = newTraceId(), idempotency } = request;
    const compiled = compileWorkflow(spec, { agents, models });
    if (!compiled.ok) refuse("spec_invalid", compiled.issues);
    const workflow = { ...compiled.workflow, ...(tenant === undefined ? {} : { tenant }) };
    const inputIssues = validateInput(workflow, input);
    if (inputIssues.length > 0) refuse("input_invalid", inputIssues);
    const at = clock.wallMs();
    const outer = outerLimits(request, options.perDay);
    const runId = asRunId(ids.next("run"));
    const answer = await store.runs.submit(
      newRun({ workflow, input, traceId, idempotency, runId, at, outer }),
    );
    if (answer.outcome === "day_spent") throw daySpentError(answer, at);
    if (answer.outcome === "conflict") {
      throw bridleError("idempotency_conflict", {
        message: `The Idempotency-Key was used within 24 hours for another request (run ${answer.runId}). Use a new key for a new request.`,
        details: { runId: answer.runId },
      });
    }
    // A hint only: a scheduler that misses it finds the run by polling.
    await store.feed.publish("inbox", answer.runId).catch(() => undefined);
    return answer;
  };
}

/** The key's before the installation's: in this order they refuse. */
function outerLimits(
  { tenant, tenantPerDay }: Pick<SubmitRequest, "tenant" | "tenantPerDay">,
  perDay: Amounts | undefined,
): readonly OuterLimit[] {
  const hasOwn = tenant !== undefined && tenantPerDay !== undefined;
  return [
    ...(hasOwn ? [{ scope: keyScope(tenant), limit: tenantPerDay }] : []),
    ...(perDay === undefined ? [] : [{ scope: installationScope, limit: perDay }]),
  ];
}

function daySpentError({ scope, dimension, given, limit }: DaySpent, at: number): CodedError {
  const retryAfterMs = nextDayAt(at) - at;
  return bridleError("day_budget_spent", {
    message: describeShortage({ scope, dimension, given, limit }),
    details: { scope, dimension, given, limit, resetsAt: nextDayAt(at), retryAfterMs },
  });
}

type NewRunParts = Pick<SubmitRequest, "input" | "idempotency"> & {
  readonly workflow: CompiledWorkflow;
  readonly traceId: string;
  readonly runId: ReturnType<typeof asRunId>;
  readonly at: number;
  readonly outer: readonly OuterLimit[];
};

function newRun({
  workflow,
  input,
  traceId,
  idempotency,
  runId,
  at,
  outer,
}: NewRunParts): Parameters<Store["runs"]["submit"]>[0] {
  const { name, version, budget, tasks } = workflow;
  return {
    runId,
    traceId,
    workflow: name,
    version,
    compiled: JSON.stringify(workflow),
    input: JSON.stringify(input),
    budget,
    outer,
    idempotency:
      idempotency === undefined ? undefined : { ...idempotency, expiresAt: at + idempotencyMs },
    event: {
      type: "run.submitted",
      at,
      runId,
      traceId,
      workflow: name,
      version,
      limit: toWireAmounts(budget.limit),
      taskCount: tasks.length,
    },
    at,
  };
}
