import { BreakerSet, Governor } from "@bridle/breaker";
import type { CodedError } from "@bridle/kernel";
import { seededRandom, sequenceIds, SimulatedClock } from "@bridle/kernel/testing";
import type { Ledger } from "@bridle/ports";
import { asRunId, asTaskId, bridleError } from "@bridle/protocol";
import type { JournalEvent, ReserveAnswer, ReserveRefusal, ReserveRequest } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import type { AdmissionParts } from "../src/admission/admission-parts.ts";
import type { CallEnd } from "../src/admission/call-end.ts";
import { HoldKeeper } from "../src/admission/hold-keeper.ts";
import { ReserveQueue } from "../src/admission/reserve-queue.ts";
import { TaskAdmission } from "../src/admission/task-admission.ts";
import type { CallAsk } from "../src/admission/task-admission.ts";
import { UnsettledCalls } from "../src/admission/unsettled-calls.ts";

const spender = { runId: asRunId("run_1"), taskId: asTaskId("work"), attempt: 1 };
const success: CallEnd = {
  outcome: { kind: "model", outcome: "success" },
  actual: { tokens: 50, nanoUsd: 500, calls: 1 },
  basis: "usage",
  completedProgress: true,
};

interface Answers {
  readonly reserve?: (request: ReserveRequest) => Promise<ReserveAnswer>;
  readonly dispatch?: () => Promise<boolean>;
  readonly settle?: () => Promise<void>;
  readonly release?: () => Promise<void>;
}

function setUp(answers: Answers = {}, parts: Partial<AdmissionParts> = {}) {
  const clock = new SimulatedClock();
  const order: string[] = [];
  const journal: JournalEvent[] = [];
  const note = (what: string): void => void order.push(what);
  // Only what the admission uses of a ledger; anything else would be a fault of the test.
  const ledger = {
    reserve: async (request: ReserveRequest) => {
      note("reserve");
      return answers.reserve?.(request) ?? { admitted: true, holdId: "hold_1" };
    },
    dispatch: async () => {
      note("dispatch");
      return answers.dispatch?.() ?? true;
    },
    settle: async () => {
      note("settle");
      await answers.settle?.();
      return { end: "settled", charged: success.actual, overrun: false, basis: "usage" };
    },
    release: async () => {
      note("release");
      await answers.release?.();
      return { end: "released" };
    },
    renew: async () => note("renew"),
  } as unknown as Ledger;
  const real = new BreakerSet({ clock, random: seededRandom(1), emit: () => {} });
  const breakers = {
    check: (keys: readonly string[]) => {
      note("check");
      return real.check(keys);
    },
    acquire: (keys: readonly string[]) => {
      note("acquire");
      const answer = real.acquire(keys);
      if (!answer.allowed) return answer;
      const { permit } = answer;
      const end: typeof permit.end = (outcome, facts) => {
        note(outcome === "giveBack" ? "giveBack" : "record");
        permit.end(outcome, facts);
      };
      return { allowed: true, permit: { isProbe: false, renew: () => true, end } };
    },
    note: () => {},
  } as unknown as BreakerSet;
  const governor = new Governor({ clock });
  const holds = new HoldKeeper({ ledger, clock, everyMs: 15_000 });
  const unsettled = new UnsettledCalls({ ledger, clock, holds });
  const admission = new TaskAdmission({
    spender,
    traceId: "t",
    clock,
    ids: sequenceIds(),
    ledger,
    openingHold: undefined,
    breakers,
    governor,
    budgetMode: "enforce",
    holds,
    unsettled,
    queue: new ReserveQueue(clock),
    fenceMs: 6000,
    signal: new AbortController().signal,
    journal: (event) => void journal.push(event),
    refusesSteps: () => undefined,
    onSettled: () => note("beat"),
    ...parts,
  });
  return { admission, order, journal, clock, real, holds, unsettled, governor };
}

function ask(more: Partial<CallAsk> = {}): CallAsk {
  return {
    step: 1,
    keys: ["agent:test/worker", "provider:fake/small"],
    estimate: { tokens: 100, nanoUsd: 1000, calls: 1 },
    factor: 1.2,
    isGoverned: true,
    isLadder: false,
    onWaiting: () => {},
    onWaited: () => {},
    ...more,
  };
}

const refusal: ReserveRefusal = {
  admitted: false,
  refusal: "never_fits",
  envelope: "work",
  dimension: "tokens",
  requested: { tokens: 120, nanoUsd: 1200, calls: 1 },
  settled: { tokens: 0, nanoUsd: 0, calls: 0 },
  reserved: { tokens: 0, nanoUsd: 0, calls: 0 },
  limit: { tokens: 100, nanoUsd: 1, calls: 1 },
};

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "admitted",
    (error: unknown) => (error as CodedError).code,
  );
}

describe("the order of one step", () => {
  it("[GC-5] breaker check, reservation, breaker permit, dispatch, then settle, record, beat", async () => {
    const { admission, order } = setUp();
    const call = await admission.admit(ask());
    order.push("call");
    await call.end(success);
    expect(order).toEqual([
      "check",
      "reserve",
      "acquire",
      "dispatch",
      "call",
      "settle",
      "record",
      "beat",
    ]);
  });

  it("[GC-5] a refused breaker freezes no money", async () => {
    const { admission, order, real, journal } = setUp();
    real.force("provider:fake/small", { state: "FORCED_OPEN", actor: "me", reason: "test" });
    expect(await codeOf(admission.admit(ask()))).toBe("breaker_open");
    expect(order).toEqual(["check"]);
    expect(journal).toMatchObject([{ type: "breaker.refused", key: "provider:fake/small" }]);
  });

  it("[GC-5] a breaker that opens between check and permit gives the money back", async () => {
    const rig = setUp({
      reserve: async () => {
        const forcing = { state: "FORCED_OPEN", actor: "me", reason: "test" } as const;
        rig.real.force("provider:fake/small", forcing);
        return { admitted: true, holdId: "hold_1" };
      },
    });
    expect(await codeOf(rig.admission.admit(ask()))).toBe("breaker_open");
    expect(rig.order).toEqual(["check", "reserve", "acquire", "release"]);
    expect(rig.holds.open).toBe(0);
  });

  it("[GC-5] a hold that may not be dispatched gives permit and money back and nothing is sent", async () => {
    const { admission, order, holds } = setUp({ dispatch: async () => false });
    expect(await codeOf(admission.admit(ask()))).toBe("envelope_closed");
    expect(order).toEqual(["check", "reserve", "acquire", "dispatch", "giveBack", "release"]);
    expect(holds.open).toBe(0);
  });

  it("[GC-5] a refusal gives the governor its call back", async () => {
    const { admission, clock } = setUp({ reserve: async () => refusal });
    for (let calls = 0; calls < 30; calls++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await codeOf(admission.admit(ask()))).toBe("budget_refused");
    }
    expect(clock.monotonicMs()).toBe(0);
  });

  it("[BU-8] a refusal names the level and its figures", async () => {
    const { admission } = setUp({ reserve: async () => refusal });
    await expect(admission.admit(ask())).rejects.toMatchObject({
      code: "budget_refused",
      message:
        'The envelope "work" cannot pay (never_fits): 120 tokens asked, 0 spent, 0 reserved, limit 100.',
      details: { envelope: "work", refusal: "never_fits", dimension: "tokens" },
    });
  });

  it("[BU-21] a ledger that fails while dispatching lets nothing out", async () => {
    const { admission, order } = setUp({
      dispatch: async () => Promise.reject(bridleError("store_unavailable")),
    });
    expect(await codeOf(admission.admit(ask()))).toBe("budget_unavailable");
    expect(order).toContain("giveBack");
  });

  it("after a stop nothing is let out, also when the order came while the money was being reserved", async () => {
    const rig = setUp({
      reserve: async () => {
        rig.admission.stop(bridleError("cancelled"));
        return { admitted: true, holdId: "hold_1" };
      },
    });
    expect(await codeOf(rig.admission.admit(ask()))).toBe("cancelled");
    expect(rig.order).toEqual(["check", "reserve", "release"]);
    expect(await codeOf(rig.admission.admit(ask()))).toBe("cancelled");
  });
});

describe("the end of a call", () => {
  it("[BU-11] settles once, whoever ends it and however often", async () => {
    const { admission, order } = setUp();
    const call = await admission.admit(ask());
    await Promise.all([call.end(success), call.end(success)]);
    await admission.endAll(() => success);
    expect(order.filter((what) => what === "settle")).toHaveLength(1);
  });

  it("[BU-12] a call nobody ended is charged at the end of its task, never at zero", async () => {
    const { admission } = setUp();
    await admission.admit(ask());
    const seen: number[] = [];
    await admission.endAll((reserved) => {
      seen.push(reserved.tokens);
      return { ...success, actual: reserved, basis: "unknown" };
    });
    expect(seen).toEqual([120]);
  });

  const away = async (): Promise<void> => Promise.reject(bridleError("store_unavailable"));
  const settlesIn = (order: readonly string[]) => order.filter((what) => what === "settle");

  /** A ledger that admits by kind, and the kinds it was asked for. */
  const byKind = (answers: Partial<Record<ReserveRequest["kind"], ReserveAnswer>>) => {
    const kinds: string[] = [];
    const reserve = async ({ kind }: ReserveRequest): Promise<ReserveAnswer> => {
      kinds.push(kind);
      return answers[kind] ?? { admitted: true, holdId: "hold_1" };
    };
    return { kinds, reserve };
  };

  it("[BU-12] [GC-4] a guard that only warns books the call it would have refused, without a wait", async () => {
    const { kinds, reserve } = byKind({ normal: { ...refusal, refusal: "transient" } });
    const rig = setUp({ reserve }, { budgetMode: "warn" });
    await (await rig.admission.admit(ask())).end(success);
    expect(kinds).toEqual(["normal", "unenforced"]);
    expect(rig.journal).toMatchObject([
      { type: "would_refuse", guard: "budget", reason: "transient" },
    ]);
    expect(rig.order).toContain("settle");
  });

  it("[BU-12] [GC-4] a guard that is off books every call, and stops none because the ledger is away", async () => {
    const { kinds, reserve } = byKind({ normal: refusal });
    const booked = setUp({ reserve }, { budgetMode: "off" });
    await (await booked.admission.admit(ask())).end(success);
    expect([kinds, booked.journal]).toEqual([["unenforced"], []]);
    expect(booked.order).toContain("settle");
    const isAway = async (): Promise<never> => {
      throw new Error("away");
    };
    const alone = setUp({ reserve: isAway }, { budgetMode: "off" });
    await (await alone.admission.admit(ask())).end(success);
    expect(alone.order).not.toContain("settle");
  });

  it.each(["warn", "off"] as const)(
    "[BU-6] [GC-4] on %s, too, no call leaves a closed envelope",
    async (budgetMode) => {
      const closed: ReserveAnswer = { ...refusal, refusal: "closed", dimension: "none" };
      const { reserve } = byKind({ normal: closed, unenforced: closed });
      const { admission } = setUp({ reserve }, { budgetMode });
      expect(await codeOf(admission.admit(ask()))).toBe("envelope_closed");
    },
  );

  it("a settle the store does not take is tried five times, then the step goes on and the breaker hears", async () => {
    const { admission, order, clock, unsettled } = setUp({ settle: away });
    const call = await admission.admit(ask());
    const ending = call.end(success);
    await clock.advanceAsync(6500);
    await ending;
    expect(settlesIn(order)).toHaveLength(5);
    expect(order.slice(-2)).toEqual(["record", "beat"]);
    expect(unsettled.size).toBe(1);
  });

  it("[BU-8] a reservation that was not used and whose release was lost is released when the store answers", async () => {
    let release = away;
    const dispatch = async (): Promise<never> => {
      throw new Error("away");
    };
    const { admission, order, clock, unsettled } = setUp({
      dispatch,
      release: async () => release(),
    });
    expect(await codeOf(admission.admit(ask()))).toBe("budget_unavailable");
    await clock.advanceAsync(4000);
    const tried = order.filter((what) => what === "release").length;
    expect(tried).toBe(3);
    release = async () => {};
    await clock.advanceAsync(10_000);
    expect(order.filter((what) => what === "release")).toHaveLength(tried + 1);
    expect([unsettled.size, clock.pendingTimers]).toEqual([0, 0]);
  });

  it("[BU-12] what the store did not take is kept and its hold renewed until it does", async () => {
    let settle = away;
    const { admission, order, clock, unsettled, holds } = setUp({ settle: async () => settle() });
    const call = await admission.admit(ask());
    void call.end(success);
    await clock.advanceAsync(60_000);
    expect([unsettled.size, holds.open]).toEqual([1, 1]);
    expect(order.filter((what) => what === "renew")).toHaveLength(4);
    await expect(unsettled.book(spender)).rejects.toMatchObject({ code: "store_unavailable" });
    settle = async () => {};
    await clock.advanceAsync(2000);
    expect([unsettled.size, holds.open]).toEqual([0, 0]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("a cost the ledger refuses as nonsense holds up no attempt for ever", async () => {
    const { admission, clock, unsettled } = setUp({
      settle: async () => Promise.reject(new RangeError("not a whole number")),
    });
    const call = await admission.admit(ask());
    void call.end(success);
    await clock.advanceAsync(60_000);
    await unsettled.book(spender);
    expect(clock.pendingTimers).toBe(0);
  });

  it("[BU-11] open holds are renewed every 15 s, ended ones are not", async () => {
    const { admission, order, clock } = setUp();
    const call = await admission.admit(ask());
    await clock.advanceAsync(45_000);
    expect(order.filter((what) => what === "renew")).toHaveLength(3);
    await call.end(success);
    await clock.advanceAsync(45_000);
    expect(order.filter((what) => what === "renew")).toHaveLength(3);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("[GV-1] the governor", () => {
  it("counts a task's calls over its attempts, not another task's", async () => {
    const first = setUp();
    const sharing = (more: Partial<AdmissionParts["spender"]>) =>
      setUp({}, { governor: first.governor, spender: { ...spender, ...more } });
    const retried = sharing({ attempt: 2 });
    const other = sharing({ taskId: asTaskId("other") });
    for (let calls = 0; calls < 10; calls++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await first.admission.admit(ask());
    }
    expect(await codeOf(retried.admission.admit(ask()))).toBe("rate_governed");
    expect(retried.journal).toMatchObject([{ type: "governor.refused", retryAfterMs: 1000 }]);
    expect(await codeOf(other.admission.admit(ask()))).toBe("admitted");
    expect(await codeOf(retried.admission.admit(ask({ isGoverned: false })))).toBe("admitted");
  });
});

describe("[BU-8] waiting for room", () => {
  const transient: ReserveAnswer = { ...refusal, refusal: "transient" };

  function queue() {
    const clock = new SimulatedClock();
    const line = new ReserveQueue(clock);
    const order: string[] = [];
    let free = 0;
    const enter = async (name: string, signal = new AbortController().signal) => {
      const reserve = async (): Promise<ReserveAnswer> => {
        if (free === 0) return transient;
        free -= 1;
        order.push(name);
        return { admitted: true, holdId: name };
      };
      const answer = await line.reserve({ runId: "run_1", reserve, signal, onWaiting: () => {} });
      return answer.admitted;
    };
    return {
      clock,
      order,
      enter,
      free: (count: number) => {
        free += count;
        line.wake("run_1");
      },
    };
  }

  it("first come, first served, as soon as a hold ends here", async () => {
    const { clock, order, enter, free } = queue();
    const all = ["first", "second", "third"].map(async (name) => enter(name));
    await clock.advanceAsync(100);
    free(1);
    await clock.advanceAsync(1);
    expect(order).toEqual(["first"]);
    free(2);
    await clock.advanceAsync(1000);
    expect(await Promise.all(all)).toEqual([true, true, true]);
    expect(order).toEqual(["first", "second", "third"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("whoever comes while others wait goes behind them, room or not", async () => {
    const { clock, order, enter, free } = queue();
    const early = enter("early");
    await clock.advanceAsync(100);
    free(2);
    const late = enter("late");
    await clock.advanceAsync(1000);
    await Promise.all([early, late]);
    expect(order).toEqual(["early", "late"]);
  });

  it("gives up after 30 s with the ledger's refusal, and leaves no timer", async () => {
    const { clock, enter } = queue();
    const waiting = enter("patient");
    await clock.advanceAsync(29_000);
    const other = enter("impatient");
    await clock.advanceAsync(1500);
    expect(await waiting).toBe(false);
    await clock.advanceAsync(30_000);
    expect(await other).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });

  it("[B109] an abort ends the wait at once and the next in line goes on", async () => {
    const { clock, order, enter, free } = queue();
    const abort = new AbortController();
    const first = enter("first", abort.signal).catch((error: unknown) => error);
    const second = enter("second");
    await clock.advanceAsync(100);
    const reason = bridleError("cancelled");
    abort.abort(reason);
    await clock.advanceAsync(1);
    expect(await first).toBe(reason);
    free(1);
    await clock.advanceAsync(500);
    expect(await second).toBe(true);
    expect(order).toEqual(["second"]);
    expect(clock.pendingTimers).toBe(0);
  });
});
