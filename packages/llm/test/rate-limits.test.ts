import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { RateLimits } from "../src/rate-limits.ts";
import { callBench, fail, hello } from "./call-bench.ts";

const limited = [fail({ status: 429 })];

describe("a target that says “too many”", () => {
  it("[B088] is asked at a pace that slows down to its cap, also by a caller who begins a new call each time", async () => {
    const bench = callBench({ chain: [[limited]] });
    const sentAt: number[] = [];
    const minutes = 10;
    const asks = async (): Promise<void> => {
      while (bench.clock.monotonicMs() < minutes * 60_000) {
        // oxlint-disable-next-line no-await-in-loop -- it asks again as soon as it is told no
        await bench.call().catch(() => undefined);
      }
    };
    const asking = asks();
    for (let ms = 0; ms < (minutes + 2) * 60_000; ms += 100) {
      const [count = 0] = bench.wireCalls();
      while (sentAt.length < count) sentAt.push(ms);
      // oxlint-disable-next-line no-await-in-loop -- time passes step by step
      await bench.clock.advanceAsync(100);
    }
    await asking;

    const gaps = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    expect(gaps.slice(0, 6).map((ms) => Math.floor(ms / 1000) >= 1)).not.toContain(false);
    for (const [index, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(Math.min(1000 * 2 ** index, 30_000) - 100);
    }
    expect(Math.max(...gaps)).toBeLessThan(30_000 * 1.25 * 1.25);
    // Beginning anew at one second with each call, it would have been asked over three hundred times.
    expect(sentAt.length).toBeLessThan(30);
    expect(new Set(bench.ends.map((end) => end.class))).toEqual(new Set(["rate_limit"]));
  });

  it("[B088] control: an answer ends it, and the next refusal is the first again", async () => {
    const bench = callBench({ chain: [[limited, limited, limited, hello, limited, hello]] });
    await bench.settle();
    const next = bench.call();
    await bench.clock.advanceAsync(0);
    expect(bench.wireCalls()).toEqual([5]);
    // A second and its jitter; a fourth refusal in a row would be left alone for eight.
    await bench.clock.advanceAsync(1600);
    expect((await next).response.text).toBe("hello");
    expect(bench.wireCalls()).toEqual([6]);
  });

  it("[S11] [B088] is not asked by a later call either before its Retry-After is over, however long, and the call says when", async () => {
    const headers = { "retry-after": "3600" };
    const bench = callBench({ chain: [[[fail({ status: 429, headers })], hello]] });
    await bench.settle(0);
    await bench.clock.advanceAsync(3_000_000);

    const { error } = await bench.settle(0);

    expect(error).toMatchObject({ code: "model_rate_limited", details: { retryAfterMs: 600_000 } });
    expect(bench.wireCalls()).toEqual([1]);
    await bench.clock.advanceAsync(600_000);
    expect((await bench.settle(0)).result?.response.text).toBe("hello");
  });

  it("[B088] is passed over for the next of its chain when it wants to be left alone for long", async () => {
    const headers = { "retry-after": "3600" };
    const bench = callBench({ chain: [[[fail({ status: 429, headers })], hello], [hello]] });
    await bench.settle(0);
    const { result } = await bench.settle(0);
    expect(result?.degraded).toEqual(["model:fake/m1 instead of fake/m0"]);
    expect(bench.wireCalls()).toEqual([1, 2]);
  });

  it("[B109] an abort ends the wait for another call's limit at once, with its reason and no timer", async () => {
    const headers = { "retry-after": "50" };
    const bench = callBench({ chain: [[[fail({ status: 429, headers })], hello]] });
    const first = bench.call();
    await bench.clock.advanceAsync(100);
    const ends = Promise.allSettled([first, bench.call()]);
    await bench.clock.advanceAsync(100);
    expect(bench.wireCalls()).toEqual([1]);
    bench.abort(new Error("stop"));
    expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(bench.clock.pendingTimers).toBe(0);
  });
});

describe("the wait", () => {
  const at = (nowMs: number, sentMs = nowMs, retryAfterMs?: number) => ({
    sentMs,
    nowMs,
    retryAfterMs,
  });

  it("grows once for calls that were under way together (R2)", () => {
    const limits = new RateLimits();
    for (let call = 0; call < 50; call += 1) limits.note("a", at(100 + call, 50));
    expect(limits.waitMs("a", 149)).toBe(1000 - 49);
    limits.note("a", at(2000));
    expect([limits.waitMs("a", 2000), limits.waitMs("b", 2000)]).toEqual([2000, 0]);
  });

  it("is forgotten half a minute after it was over (R3)", () => {
    const limits = new RateLimits();
    for (const nowMs of [0, 1000]) limits.note("a", at(nowMs));
    limits.note("a", at(3000 + 29_999));
    expect(limits.waitMs("a", 32_999)).toBe(4000);
    limits.note("a", at(36_999 + 30_000));
    expect(limits.waitMs("a", 66_999)).toBe(1000);
  });

  it("is never shorter than any server's word that was given (R1)", () => {
    const waits = fc.array(
      fc.tuple(fc.nat(60_000), fc.option(fc.nat(10 ** 7), { nil: undefined })),
    );
    fc.assert(
      fc.property(waits, (steps) => {
        const limits = new RateLimits();
        let nowMs = 0;
        let wordMs = 0;
        for (const [passedMs, retryAfterMs] of steps) {
          nowMs += passedMs;
          limits.note("a", at(nowMs, nowMs, retryAfterMs));
          wordMs = Math.max(wordMs, nowMs + (retryAfterMs ?? 0));
          expect(nowMs + limits.waitMs("a", nowMs)).toBeGreaterThanOrEqual(wordMs);
        }
      }),
    );
  });
});
