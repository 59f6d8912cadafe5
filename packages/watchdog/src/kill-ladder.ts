/**
 * How a task is stopped (WD-13): RUNNING → SUSPECT → MARKED → CANCELLING → RECLAIMING → DEAD, as one pure function.
 *
 * Owns the order of the rungs and their times. Does not know how a task is cancelled or killed: the host performs the
 * effects and reports back. Whoever wants a task stopped, a guard or a person, enters by `mark`.
 *
 * KL-1 No rung is skipped on the way up and none is gone back down, but for SUSPECT, which a recovered task leaves.
 * KL-2 Each cause is announced once; the first one decides, later ones are only named.
 * KL-3 A result counts until the kill; after it, it is kept and nothing else (WD-14). At most one result counts.
 * KL-4 RECLAIMING ends only by `ended`: until then the kill is repeated.
 */
export interface LadderConfig {
  /** From cancel to kill. WD-13: 5 s. */
  readonly cancelMs: number;
  /** From one kill to the next, and to giving the process up. WD-13: 2 s. */
  readonly killAgainMs: number;
}

export const ladderDefaults: LadderConfig = { cancelMs: 5000, killAgainMs: 2000 };

interface Stopping<Cause extends string> {
  /** The first cause: the reason of the end. */
  readonly cause: Cause;
  readonly causes: readonly Cause[];
  readonly markedAt: number;
}

export type LadderStage<Cause extends string> =
  | { readonly status: "RUNNING" }
  | { readonly status: "SUSPECT" }
  | ({ readonly status: "MARKED" } & Stopping<Cause>)
  | ({ readonly status: "CANCELLING"; readonly killAt: number } & Stopping<Cause>)
  | ({
      readonly status: "RECLAIMING";
      readonly killAt: number;
      readonly kills: number;
    } & Stopping<Cause>)
  | ({ readonly status: "DEAD" } & Partial<Stopping<Cause>>);

export interface Ladder<Cause extends string> {
  readonly config: LadderConfig;
  readonly stage: LadderStage<Cause>;
  readonly hasResult: boolean;
}

export type LadderEvent<Cause extends string> =
  /** A clock was seen past due once; `clear`: the next scan saw it advance. */
  | { readonly type: "suspect" | "clear"; readonly at: number }
  | { readonly type: "mark"; readonly cause: Cause; readonly at: number }
  /** The mark was taken notice of: begin to cancel. */
  | { readonly type: "cancel"; readonly at: number }
  | { readonly type: "tick"; readonly at: number }
  | { readonly type: "result"; readonly at: number }
  /** Nothing of the task runs any more. */
  | { readonly type: "ended"; readonly at: number };

export type LadderEffect<Cause extends string> =
  | { readonly type: "announce-cause"; readonly cause: Cause }
  /** AbortSignal with the cause as its reason, `onCancel`, SIGTERM. */
  | { readonly type: "abort"; readonly cause: Cause }
  /** SIGKILL of the process group, or `terminate()`. From `kills` 2 on a thread's process is to be retired. */
  | { readonly type: "kill"; readonly cause: Cause; readonly kills: number }
  | { readonly type: "wake-at"; readonly at: number }
  | { readonly type: "accept-result" }
  | { readonly type: "keep-late-result" }
  | { readonly type: "announce-dead"; readonly cause?: Cause; readonly timeToStopMs: number };

type Step<Cause extends string> = readonly [Ladder<Cause>, readonly LadderEffect<Cause>[]];

export function initialLadder<Cause extends string>(
  config: LadderConfig = ladderDefaults,
): Ladder<Cause> {
  return { config, stage: { status: "RUNNING" }, hasResult: false };
}

export function reduceLadder<Cause extends string>(
  ladder: Ladder<Cause>,
  event: LadderEvent<Cause>,
): Step<Cause> {
  const { stage } = ladder;
  switch (event.type) {
    case "suspect":
      return stage.status === "RUNNING" ? [at(ladder, { status: "SUSPECT" }), []] : [ladder, []];
    case "clear":
      return stage.status === "SUSPECT" ? [at(ladder, { status: "RUNNING" }), []] : [ladder, []];
    case "mark":
      return mark(ladder, event.cause, event.at);
    case "cancel":
      return cancel(ladder, event.at);
    case "tick":
      return tick(ladder, event.at);
    case "result":
      return result(ladder);
    case "ended":
      return ended(ladder, event.at);
  }
}

function at<Cause extends string>(ladder: Ladder<Cause>, stage: LadderStage<Cause>): Ladder<Cause> {
  return { ...ladder, stage };
}

function mark<Cause extends string>(ladder: Ladder<Cause>, cause: Cause, now: number): Step<Cause> {
  const { stage } = ladder;
  const announce = { type: "announce-cause", cause } as const;
  switch (stage.status) {
    case "RUNNING":
    case "SUSPECT":
      return [at(ladder, { status: "MARKED", cause, causes: [cause], markedAt: now }), [announce]];
    case "DEAD":
      return [ladder, []];
    case "MARKED":
    case "CANCELLING":
    case "RECLAIMING":
      if (stage.causes.includes(cause)) return [ladder, []];
      return [at(ladder, { ...stage, causes: [...stage.causes, cause] }), [announce]];
  }
}

function cancel<Cause extends string>(ladder: Ladder<Cause>, now: number): Step<Cause> {
  const { stage, config } = ladder;
  if (stage.status !== "MARKED") return [ladder, []];
  const killAt = now + config.cancelMs;
  return [
    at(ladder, { ...stage, status: "CANCELLING", killAt }),
    [
      { type: "abort", cause: stage.cause },
      { type: "wake-at", at: killAt },
    ],
  ];
}

function tick<Cause extends string>(ladder: Ladder<Cause>, now: number): Step<Cause> {
  const { stage, config } = ladder;
  if (stage.status !== "CANCELLING" && stage.status !== "RECLAIMING") return [ladder, []];
  if (now < stage.killAt) return [ladder, []];
  const kills = stage.status === "RECLAIMING" ? stage.kills + 1 : 1;
  const killAt = now + config.killAgainMs;
  return [
    at(ladder, { ...stage, status: "RECLAIMING", killAt, kills }),
    [
      { type: "kill", cause: stage.cause, kills },
      { type: "wake-at", at: killAt },
    ],
  ];
}

function result<Cause extends string>(ladder: Ladder<Cause>): Step<Cause> {
  const { status } = ladder.stage;
  if (ladder.hasResult || status === "RECLAIMING" || status === "DEAD") {
    return [ladder, [{ type: "keep-late-result" }]];
  }
  return [{ ...ladder, hasResult: true }, [{ type: "accept-result" }]];
}

function ended<Cause extends string>(ladder: Ladder<Cause>, now: number): Step<Cause> {
  const { stage } = ladder;
  if (stage.status === "DEAD") return [ladder, []];
  if (stage.status === "RUNNING" || stage.status === "SUSPECT") {
    return [at(ladder, { status: "DEAD" }), [{ type: "announce-dead", timeToStopMs: 0 }]];
  }
  const { cause, causes, markedAt } = stage;
  return [
    at(ladder, { status: "DEAD", cause, causes, markedAt }),
    [{ type: "announce-dead", cause, timeToStopMs: Math.max(0, now - markedAt) }],
  ];
}
