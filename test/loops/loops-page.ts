import { defaultLoopThresholds } from "@bridle/watchdog";
import type { LoopReaction, LoopThresholds } from "@bridle/watchdog";

import { blindTraces } from "./blind-traces.ts";
import { generatedTraces } from "./generated/generated-traces.ts";
import { playTrace } from "./play-trace.ts";
import type { Played } from "./play-trace.ts";
import { scoreOf, wastedUntil } from "./score.ts";
import { storedTraces } from "./stored-traces.ts";
import type { Trace } from "./trace.ts";

export interface TraceSet {
  readonly name: "blind" | "recorded" | "generated";
  readonly traces: readonly Trace[];
}

export function corpus(): readonly TraceSet[] {
  return [
    { name: "blind", traces: blindTraces() },
    { name: "recorded", traces: storedTraces("recorded") },
    { name: "generated", traces: generatedTraces() },
  ];
}

const never = { nudge: 998, block: 999, stop: 1000 };
const atTwo = { nudge: 2, block: 3, stop: 4 };

/** Detectors that are worse than the shipped one, each in its own way. */
export const worse = {
  withoutNovelty: { no_news: never },
  atTwo: { repeat: atTwo, failing: atTwo, ping_pong: atTwo, no_news: atTwo, text: atTwo },
} satisfies Record<string, Partial<LoopThresholds>>;

/** As if no tool had said what it is. */
export function undeclared(trace: Trace): Trace {
  return { ...trace, pollingTools: [], effectTools: [] };
}

/** What the corpus says, as Markdown: tables for `docs/reference/loops.md`. */
export function loopTables(): readonly string[] {
  const sets = corpus();
  const all = sets.flatMap(({ traces }) => traces);
  const play = (traces: readonly Trace[], thresholds?: Partial<LoopThresholds>) =>
    traces.map((trace) => playTrace(trace, thresholds === undefined ? {} : { thresholds }));
  const shipped = play(all);
  return [
    "## By set",
    table(
      [
        "Set",
        "Good",
        "of ≥ 50 steps",
        "Loops",
        "Precision",
        "Recall",
        "Hinted",
        "Refused",
        "Stopped",
      ],
      [...sets, { name: "all", traces: all }].map(({ name, traces }) =>
        [name, String(goodOf(traces)), String(traces.filter(isLongAndGood).length)].concat(
          figures(play(traces)),
        ),
      ),
    ),
    "## Steps wasted",
    `Of the ${shipped.filter(({ trace }) => trace.label === "loop").length} loops, counted from the first step that brings nothing new. Texts are not refused, so \`block\` is only told there.`,
    table(
      ["Until", "Median", "Most", "Never"],
      (["nudge", "block", "stop"] as const).map((reaction) => wasted(shipped, reaction)),
    ),
    "## Worse detectors",
    table(
      ["Detector", "Loops", "Precision", "Recall", "Hinted", "Refused", "Stopped"],
      [
        ["as shipped", ...figures(shipped)],
        ["without `no_news`", ...figures(play(all, worse.withoutNovelty))],
        ["every pattern from two on", ...figures(play(all, worse.atTwo))],
        ["tools that declare nothing", ...figures(play(all.map(undeclared)))],
      ],
    ),
    "## Loops that are not stopped",
    ...missedLoops(shipped),
    "## Good work that gets a hint",
    table(
      ["Trace", "Hints", "Why it is good"],
      shipped
        .filter(({ trace, told }) => trace.label === "good" && told.length > 0)
        .map(({ trace, told }) => [trace.name, String(told.length), trace.why]),
    ),
  ];
}

export function isLongAndGood({ label, steps }: Trace): boolean {
  return label === "good" && steps.length >= 50;
}

function goodOf(traces: readonly Trace[]): number {
  return traces.filter(({ label }) => label === "good").length;
}

/** Loops, precision, recall, good traces hinted, refused and stopped. */
function figures(played: readonly Played[]): readonly string[] {
  const score = scoreOf(played);
  return [
    String(score.loops),
    score.precision.toFixed(2),
    score.recall.toFixed(2),
    String(score.falselyNudged.length),
    String(score.falselyRefused.length),
    String(score.falselyStopped.length),
  ];
}

function wasted(played: readonly Played[], reaction: LoopReaction): readonly string[] {
  const loops = played.filter(({ trace }) => trace.label === "loop");
  const counts = loops
    .flatMap((one) => wastedUntil(one, reaction) ?? [])
    .toSorted((left, right) => left - right);
  const median = counts[Math.floor(counts.length / 2)] ?? 0;
  return [
    `\`${reaction}\``,
    String(median),
    String(counts.at(-1) ?? 0),
    String(loops.length - counts.length),
  ];
}

function missedLoops(played: readonly Played[]): readonly string[] {
  const { missed } = scoreOf(played);
  const rows = played
    .filter(({ trace }) => missed.includes(trace.name))
    .map(({ trace, told }) => [trace.name, String(told.length), trace.why]);
  return [table(["Trace", "Hints", "What it does"], rows)];
}

/** The rungs that were played, for the page's introduction. */
export function rungs(): string {
  return Object.entries(defaultLoopThresholds)
    .map(([pattern, { nudge, block, stop }]) => `\`${pattern}\` ${nudge}/${block}/${stop}`)
    .join(", ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
