import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { AlertDraft } from "../src/alert-of.ts";
import { initialDesk, reduceDesk } from "../src/reduce-desk.ts";
import type { DeskSettings, DeskState, ToldAlert } from "../src/reduce-desk.ts";

const settings: DeskSettings = { repeatMs: 60_000, perMinute: 60 };
const start = 1_000_000_000;
let sources = 0;

function draft(subject: string, changes: Partial<AlertDraft> = {}): AlertDraft {
  return {
    name: "breaker.open",
    status: "firing",
    severity: "warning",
    subject,
    message: "It is.",
    ...changes,
  };
}

/** A desk whose clock the test moves. */
class Desk {
  state: DeskState = initialDesk;
  now = start;
  readonly settings: DeskSettings;

  constructor(changes: Partial<DeskSettings> = {}) {
    this.settings = { ...settings, ...changes };
  }

  after(ms: number, drafts: readonly AlertDraft[] = [], endedRuns: readonly string[] = []) {
    this.now += ms;
    const news = drafts.map((one) => ({ source: `fleet.${++sources}`, at: this.now, draft: one }));
    const input = { drafts: news, endedRuns, now: this.now };
    const [state, told] = reduceDesk(this.state, input, this.settings);
    // What it keeps is plain JSON: it is stored as such.
    this.state = JSON.parse(JSON.stringify(state)) as DeskState;
    return told;
  }
}

function briefly(told: readonly ToldAlert[]) {
  return told.map(({ alert: { subject, status, count } }) => [subject, status, count]);
}

const open = draft("b");
const closed = draft("b", { status: "resolved", severity: "info" });

describe("which alerts are told, and when", () => {
  it("[E4] the first of a subject at once, with the id of its event", () => {
    const desk = new Desk();
    const [told] = desk.after(0, [open]);
    expect(told?.alert).toMatchObject({
      id: `fleet.${sources}`,
      count: 1,
      firstAt: start,
      lastAt: start,
    });
    expect(told?.isListedOnly).toBe(false);
  });

  it("[E4] a thousand equal ones in a minute are one, and one more that counts the others", () => {
    const desk = new Desk();
    const told = Array.from({ length: 1000 }, () => desk.after(59, [open])).flat();
    expect(briefly(told)).toEqual([["b", "firing", 1]]);
    const [rest, ...none] = desk.after(60_000);
    expect(none).toEqual([]);
    expect(briefly(rest === undefined ? [] : [rest])).toEqual([["b", "firing", 999]]);
    expect(rest?.alert.message).toBe("It is. 999 times since 1970-01-12T13:46:40.118Z.");
    expect(desk.after(600_000)).toEqual([]);
  });

  it("[E4] those that come together are one", () => {
    const desk = new Desk();
    expect(briefly(desk.after(0, [open, open, open]))).toEqual([["b", "firing", 3]]);
  });

  it("[E4] [B206] a hundred while it lasts and then its end: one that opened, one that recovered", () => {
    const desk = new Desk();
    const first = desk.after(
      0,
      Array.from({ length: 100 }, () => open),
    );
    expect(briefly(first)).toEqual([["b", "firing", 100]]);
    expect(briefly(desk.after(120_000, [closed]))).toEqual([["b", "resolved", 0]]);
    expect(desk.after(120_000, [closed])).toEqual([]);
  });

  it("[E4] the end of what fired is as important as it was", () => {
    const desk = new Desk();
    desk.after(0, [draft("b", { severity: "critical" })]);
    const [told] = desk.after(3_600_000, [closed]);
    expect(told?.alert.severity).toBe("critical");
  });

  it("[E4] the end of what nobody was told of is not told", () => {
    expect(new Desk().after(0, [closed])).toEqual([]);
  });

  it("[E4] a breaker that flaps is told once a minute, as it stands then", () => {
    const desk = new Desk();
    const told = Array.from({ length: 300 }, (_, second) =>
      desk.after(1000, [second % 2 === 0 ? open : closed]),
    ).flat();
    expect(briefly(told)).toEqual([
      ["b", "firing", 1],
      ["b", "firing", 30],
      ["b", "firing", 30],
      ["b", "firing", 30],
      ["b", "firing", 30],
    ]);
  });

  it("[E4] no subject waits for another", () => {
    const desk = new Desk();
    desk.after(0, [draft("one")]);
    expect(briefly(desk.after(1, [draft("two")]))).toEqual([["two", "firing", 1]]);
  });

  it("[E4] beyond the rate they are listed only, and one says how many", () => {
    const desk = new Desk({ perMinute: 3 });
    const told = desk.after(
      0,
      Array.from({ length: 10 }, (_, index) => draft(`s${index}`)),
    );
    expect(told.filter(({ isListedOnly }) => !isListedOnly)).toHaveLength(3);
    expect(told).toHaveLength(10);
    const [overflow, ...none] = desk.after(60_000);
    expect(none).toEqual([]);
    expect(overflow?.alert).toMatchObject({ name: "alerts.overflow", severity: "critical" });
    expect(overflow?.alert.message).toContain("7 further alerts");
  });

  it("[E4] a clock that was put back silences nobody", () => {
    const desk = new Desk();
    desk.after(0, [open]);
    expect(briefly(desk.after(-3_600_000, [open]))).toEqual([["b", "firing", 1]]);
  });

  it("[E4] a run that has ended leaves nothing behind", () => {
    const desk = new Desk();
    desk.after(0, [draft("r", { runId: "run_1" })]);
    desk.after(120_000);
    // The control: what may still end is remembered.
    expect(Object.keys(desk.state.subjects)).toEqual(["r"]);
    desk.after(0, [], ["run_1"]);
    expect(desk.state.subjects).toEqual({});
  });

  it("[E4] remembers a thousand subjects at most, the newest", () => {
    const desk = new Desk({ perMinute: 1_000_000 });
    for (let index = 0; index < 1200; index += 1) desk.after(1, [draft(`s${index}`)]);
    expect(Object.keys(desk.state.subjects)).toHaveLength(1000);
    expect(desk.state.subjects).toHaveProperty("s1199");
    expect(desk.state.subjects).not.toHaveProperty("s0");
  });

  it("[E4] whatever comes when: none is lost from the counts, and no subject is told twice in a minute", () => {
    const news = fc.record({
      subject: fc.constantFrom("a", "b", "c"),
      isFiring: fc.boolean(),
      ms: fc.nat({ max: 90_000 }),
    });
    fc.assert(
      fc.property(fc.array(news, { maxLength: 60 }), (all) => {
        const desk = new Desk({ perMinute: 1_000_000 });
        const told = all.flatMap(({ subject, isFiring, ms }) => {
          const status = isFiring ? "firing" : "resolved";
          return desk
            .after(ms, [draft(subject, { status })])
            .map(({ alert }) => ({ at: desk.now, alert }));
        });
        const last = desk.after(60_000).map(({ alert }) => ({ at: desk.now, alert }));
        const everything = [...told, ...last];
        const counted = everything.reduce((sum, { alert }) => sum + alert.count, 0);
        expect(counted).toBe(all.filter(({ isFiring }) => isFiring).length);
        for (const subject of ["a", "b", "c"]) {
          const times = everything.filter(({ alert }) => alert.subject === subject);
          const gaps = times.slice(1).map(({ at }, index) => at - (times[index]?.at ?? 0));
          expect(gaps.every((gap) => gap >= 60_000)).toBe(true);
        }
      }),
    );
  });
});
