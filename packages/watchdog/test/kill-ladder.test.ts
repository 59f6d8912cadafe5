import { initialLadder, reduceLadder } from "@bridle/watchdog";
import type { Ladder, LadderEffect, LadderEvent } from "@bridle/watchdog";
import fc from "fast-check";
import { expect, it } from "vitest";

type Cause = "stalled" | "task_timeout" | "cancelled";
type Event = LadderEvent<Cause>;

function climb(events: readonly Event[]) {
  let ladder: Ladder<Cause> = initialLadder();
  const effects: LadderEffect<Cause>[] = [];
  const statuses = [ladder.stage.status as string];
  for (const event of events) {
    const [next, caused] = reduceLadder(ladder, event);
    if (next.stage.status !== ladder.stage.status) statuses.push(next.stage.status);
    ladder = next;
    effects.push(...caused);
  }
  return { ladder, effects, statuses };
}

const toReclaiming: readonly Event[] = [
  { type: "suspect", at: 0 },
  { type: "mark", cause: "stalled", at: 1000 },
  { type: "cancel", at: 1000 },
  { type: "tick", at: 5999 },
  { type: "tick", at: 6000 },
];

it("[WD-13][W7] a task is marked, then cancelled, then killed after five seconds, then dead", () => {
  const { statuses, effects } = climb([...toReclaiming, { type: "ended", at: 6010 }]);

  expect(statuses).toEqual(["RUNNING", "SUSPECT", "MARKED", "CANCELLING", "RECLAIMING", "DEAD"]);
  expect(effects).toEqual([
    { type: "announce-cause", cause: "stalled" },
    { type: "abort", cause: "stalled" },
    { type: "wake-at", at: 6000 },
    { type: "kill", cause: "stalled", kills: 1 },
    { type: "wake-at", at: 8000 },
    { type: "announce-dead", cause: "stalled", timeToStopMs: 5010 },
  ]);
});

it("[WD-13] a task that obeys is not killed", () => {
  const { statuses, effects } = climb([
    { type: "mark", cause: "cancelled", at: 0 },
    { type: "cancel", at: 0 },
    { type: "ended", at: 40 },
    { type: "tick", at: 5000 },
  ]);

  expect(statuses.at(-1)).toBe("DEAD");
  expect(effects.map(({ type }) => type)).toEqual([
    "announce-cause",
    "abort",
    "wake-at",
    "announce-dead",
  ]);
});

it("[WD-13] a kill that leaves something alive is repeated every two seconds until it is gone", () => {
  const { effects, statuses } = climb([
    ...toReclaiming,
    { type: "tick", at: 7999 },
    { type: "tick", at: 8000 },
    { type: "tick", at: 10_000 },
  ]);

  expect(effects.filter(({ type }) => type === "kill")).toMatchObject([
    { kills: 1 },
    { kills: 2 },
    { kills: 3 },
  ]);
  expect(statuses.at(-1)).toBe("RECLAIMING");
});

it("[WD-13][W8] each cause is announced once; the first one stays the reason", () => {
  const { ladder, effects } = climb([
    { type: "mark", cause: "stalled", at: 0 },
    { type: "mark", cause: "stalled", at: 1 },
    { type: "cancel", at: 2 },
    { type: "mark", cause: "task_timeout", at: 3 },
    { type: "mark", cause: "task_timeout", at: 4 },
    { type: "ended", at: 5 },
    { type: "mark", cause: "cancelled", at: 6 },
  ]);

  expect(effects.filter(({ type }) => type === "announce-cause")).toEqual([
    { type: "announce-cause", cause: "stalled" },
    { type: "announce-cause", cause: "task_timeout" },
  ]);
  expect(ladder.stage).toMatchObject({
    status: "DEAD",
    cause: "stalled",
    causes: ["stalled", "task_timeout"],
  });
});

it("[WD-13] a suspect that advances is a running task again", () => {
  const { statuses, effects } = climb([
    { type: "suspect", at: 0 },
    { type: "clear", at: 1000 },
    { type: "ended", at: 2000 },
  ]);

  expect(statuses).toEqual(["RUNNING", "SUSPECT", "RUNNING", "DEAD"]);
  expect(effects).toEqual([{ type: "announce-dead", timeToStopMs: 0 }]);
});

it.each([
  { when: "while running", before: [], wins: true },
  { when: "when marked", before: toReclaiming.slice(0, 2), wins: true },
  { when: "while cancelling", before: toReclaiming.slice(0, 4), wins: true },
  { when: "after the kill", before: toReclaiming, wins: false },
  {
    when: "after the end",
    before: [...toReclaiming, { type: "ended", at: 6010 }] as const,
    wins: false,
  },
])("[WD-14][B115] a result that arrives $when counts: $wins", ({ before, wins }) => {
  const { effects } = climb([...before, { type: "result", at: 9000 }]);

  expect(effects.at(-1)).toEqual({ type: wins ? "accept-result" : "keep-late-result" });
});

it("[WD-14] of two results the first counts", () => {
  const { effects } = climb([
    { type: "result", at: 0 },
    { type: "result", at: 1 },
  ]);

  expect(effects).toEqual([{ type: "accept-result" }, { type: "keep-late-result" }]);
});

const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    type: fc.constantFrom(
      "suspect" as const,
      "clear" as const,
      "cancel" as const,
      "tick" as const,
      "result" as const,
      "ended" as const,
    ),
    at: fc.nat(20_000),
  }),
  fc.record({
    type: fc.constant("mark" as const),
    cause: fc.constantFrom<Cause[]>("stalled", "task_timeout", "cancelled"),
    at: fc.nat(20_000),
  }),
);

it("[WD-13] whatever happens in whatever order, no rung is skipped but by dying, and none is climbed twice", () => {
  const rungs = ["RUNNING", "SUSPECT", "MARKED", "CANCELLING", "RECLAIMING", "DEAD"];
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const { statuses, effects } = climb(events);
      for (let index = 1; index < statuses.length; index++) {
        const from = rungs.indexOf(statuses[index - 1] ?? "");
        const to = rungs.indexOf(statuses[index] ?? "");
        const isAllowed =
          to === rungs.length - 1 ||
          to === from + 1 ||
          (from === 1 && to === 0) ||
          (from === 0 && to === 2);
        expect({ statuses, isAllowed }).toEqual({ statuses, isAllowed: true });
      }
      const count = (type: string): number =>
        effects.filter((effect) => effect.type === type).length;
      expect(count("abort")).toBeLessThanOrEqual(1);
      expect(count("accept-result")).toBeLessThanOrEqual(1);
      expect(count("announce-dead")).toBeLessThanOrEqual(1);
      expect(Math.min(1, count("kill"))).toBeLessThanOrEqual(count("abort"));
    }),
  );
});
