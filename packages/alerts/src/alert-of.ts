import type { Alert, AlertSeverity, EventOf, FleetEvent, RunEvent, Stop } from "@bridle/protocol";

/** An alert that has no id and no count yet: what one event says. */
export type AlertDraft = Omit<Alert, "id" | "count" | "firstAt" | "lastAt" | "spent">;

/** Free text of operators and errors: enough to recognise it. */
const longestText = 500;

type Teller<Type extends (RunEvent | FleetEvent)["type"]> = (
  event: EventOf<Type>,
) => AlertDraft | undefined;

const tellers: { readonly [Type in (RunEvent | FleetEvent)["type"]]?: Teller<Type> } = {
  "breaker.open": (event) => {
    const { key, triggers, cooldownMs } = event;
    // What a person forced is told once, as that order.
    if (triggers.includes("forced")) return undefined;
    const message = `The breaker ${key} has opened (${triggers.join(", ")}) and refuses calls for ${cooldownMs} ms.`;
    return firing("breaker.open", breakerSeverity(event), `breaker:${key}`, message);
  },
  "breaker.close": ({ key }) => {
    const message = `The breaker ${key} has closed: calls go out again.`;
    return resolved("breaker.open", `breaker:${key}`, message);
  },
  "breaker.reset": ({ key, actor }) => {
    const message = `The breaker ${key} was closed and reset by ${actor}.`;
    return resolved("breaker.open", `breaker:${key}`, message);
  },
  "breaker.forced": ({ key, state, actor, reason }) => {
    const message = `The breaker ${key} is held ${state} by ${actor}: ${reason}`;
    return firing("breaker.forced", "info", `forced:${key}`, message);
  },
  "guard.degraded": ({ guard, reason }) => {
    const message = `The guard ${guard} works with less than it should: ${reason}`;
    return firing("guard.degraded", "critical", `guard:${guard}`, message);
  },
  "task.stalled": (event) =>
    ofTask(
      event,
      `no longer advances: ${event.repeatBeats} beats without a step, from ${event.layer}.`,
    ),
  "task.looping": (event) =>
    event.reaction === "stop"
      ? ofTask(
          event,
          `goes round in circles (${event.pattern}, ${event.count} times) and is stopped.`,
        )
      : undefined,
  "task.timed_out": (event) =>
    ofTask(event, `ran out of its ${event.clock} time after ${event.afterMs} ms.`),
  "task.killed": (event) =>
    ofTask(event, `was ended by force (${event.reason}) after ${event.timeToStopMs} ms.`),
  "budget.overrun": (event) =>
    ofTask(event, "used more than was reserved for a call; it is charged in full."),
  "budget.exhausted": ({ runId, envelope, dimension, traceId }) => {
    const severity = envelope === "run" ? "critical" : "warning";
    const message = `The budget of ${whose(envelope, runId)} has reached nine tenths of its ${dimension}: nothing new is let out.`;
    const of = envelope === "run" ? {} : { taskId: envelope };
    const subject = `budget.exhausted:${runId}:${envelope}`;
    return ofRun(firing("budget.exhausted", severity, subject, message), { runId, traceId, ...of });
  },
  "budget.raised": ({ runId, envelope, traceId }) => {
    const message = `The budget of ${whose(envelope, runId)} was raised.`;
    const subject = `budget.exhausted:${runId}:${envelope}`;
    return ofRun(resolved("budget.exhausted", subject, message), { runId, traceId });
  },
  "run.paused": (event) => {
    // A person's pause needs no alert; that of a guard waits for a person.
    if (event.stop === undefined) return undefined;
    return endOf(event, "run.paused", "critical", `was paused (${event.reason})`);
  },
  "run.resumed": ({ runId, traceId, by }) => {
    const message = `The run ${runId} goes on, resumed by ${by}.`;
    return ofRun(resolved("run.paused", `run.paused:${runId}`, message), { runId, traceId });
  },
  "run.finished": (event) => {
    const { status, stop } = event;
    if (status === "COMPLETED" || status === "CANCELLED") return undefined;
    // Without a guard it was the agent's own error: in the list, and sent to whoever asks for it.
    const isGuards = stop !== undefined && stop.guard !== "none";
    return endOf(event, "run.finished", isGuards ? "warning" : "info", `has ended as ${status}`);
  },
};

/** What an event has to say to somebody who does not look, or undefined when it is nothing. Pure. */
export function alertOf(event: RunEvent | FleetEvent): AlertDraft | undefined {
  // The table holds for each type what takes that type's events.
  const tell = tellers[event.type] as Teller<typeof event.type> | undefined;
  const draft = tell?.(event);
  return draft && { ...draft, message: cut(draft.message) };
}

/** A tool's opening is data for its agents, who decide; burning costs money by the minute. */
function breakerSeverity({ tier, triggers }: EventOf<"breaker.open">): AlertSeverity {
  if (tier === "tool") return "info";
  return triggers.some((trigger) => trigger.startsWith("burn")) ? "critical" : "warning";
}

// oxlint-disable-next-line max-params -- the four members every alert has, in their order
function firing(
  name: AlertDraft["name"],
  severity: AlertSeverity,
  subject: string,
  message: string,
): AlertDraft {
  return { name, status: "firing", severity, subject, message };
}

/** Its severity is that of what it ends, which only the desk knows. */
function resolved(name: AlertDraft["name"], subject: string, message: string): AlertDraft {
  return { name, status: "resolved", severity: "info", subject, message };
}

type TaskEvent = EventOf<
  "task.stalled" | "task.looping" | "task.timed_out" | "task.killed" | "budget.overrun"
>;

function ofTask({ type, runId, taskId, traceId }: TaskEvent, what: string): AlertDraft {
  const message = `The task ${taskId} of ${runId} ${what}`;
  return ofRun(firing(type, "warning", `${type}:${runId}`, message), { runId, taskId, traceId });
}

// oxlint-disable-next-line max-params -- an event and the three things its alert says of it
function endOf(
  { runId, traceId, stop }: EventOf<"run.paused" | "run.finished">,
  name: "run.paused" | "run.finished",
  severity: AlertSeverity,
  what: string,
): AlertDraft {
  const why = stop === undefined ? "." : `: ${stop.reason}. ${stop.hint}`;
  const draft = firing(name, severity, `${name}:${runId}`, `The run ${runId} ${what}${why}`);
  return { ...ofRun(draft, { runId, traceId }), ...(stop && { stop: told(stop) }) };
}

/** Without what agents wrote: their output, and evidence that may quote them. */
function told({
  partialOutput: _output,
  evidence: _evidence,
  ...stop
}: Stop): NonNullable<Alert["stop"]> {
  return { ...stop, hint: cut(stop.hint), reason: cut(stop.reason) };
}

function ofRun(
  draft: AlertDraft,
  { runId, taskId, traceId }: { runId: string; taskId?: string; traceId?: string | undefined },
): AlertDraft {
  const task = taskId === undefined ? {} : { taskId };
  const trace = traceId === undefined ? {} : { traceId };
  return { ...draft, runId, ...task, ...trace };
}

function whose(envelope: string, runId: string): string {
  return envelope === "run" ? runId : `the task ${envelope} of ${runId}`;
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`;
}
