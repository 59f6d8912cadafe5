import { expect, it } from "vitest";

import { cooldownMs } from "../src/cooldown-ms.ts";
import { defaultBreakerSettings } from "../src/index.ts";
import { bench, failure, opened, repeat } from "./support.ts";

const settings = defaultBreakerSettings;

it("[BR-11] [B4] [B082] the cooldown doubles from thirty seconds up to ten minutes", () => {
  const cooldowns = [1, 2, 3, 4, 5, 6, 7, 2000].map((openCount) =>
    cooldownMs({ settings, openCount, chance: 0.5, retryAfterMs: 0 }),
  );

  expect(cooldowns).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000, 600_000]);
});

it.each([
  { chance: 0, ms: 27_000 },
  { chance: 0.999_999_9, ms: 33_000 },
])("[BR-11] chance $chance spreads it to $ms ms", ({ chance, ms }) => {
  expect(cooldownMs({ settings, openCount: 1, chance, retryAfterMs: 0 })).toBe(ms);
});

it("[BR-11] it is never shorter than the server's Retry-After, beyond the cap too", () => {
  const ask = (retryAfterMs: number) =>
    cooldownMs({ settings, openCount: 1, chance: 0, retryAfterMs });

  expect([ask(10_000), ask(45_000.2), ask(3_600_000)]).toEqual([27_000, 45_001, 3_600_000]);
});

it("[BR-11] a Retry-After that came before the failure that opens still holds", () => {
  const { call, clock, view, set } = bench();
  call("failure", { retryAfterMs: 120_000 });
  clock.advance(20_000);
  repeat(4, () => call("failure"));

  expect(view().retryAfterMs).toBe(100_000);
  set.close();
});

it.each([
  { closedForMs: 29_999, openCount: 2 },
  { closedForMs: 30_000, openCount: 1 },
])(
  "[BR-11] opened again after $closedForMs ms of CLOSED it is opening number $openCount",
  ({ closedForMs, openCount }) => {
    const { clock, call, view, set } = opened();
    clock.advance(30_000);
    call("success");
    call("success");
    clock.advance(closedForMs);

    repeat(2, () => call("failure"));

    expect(view()).toMatchObject({ state: "OPEN", openCount });
    set.close();
  },
);

it("[GC-1] neither a jump of the wall clock nor a cooldown of two months disturbs it", () => {
  const { clock, call, view, set } = bench();
  const twoMonthsMs = 60 * 24 * 3_600_000;
  repeat(5, () => call("failure", { retryAfterMs: twoMonthsMs }));

  clock.jumpWall(10 * twoMonthsMs);
  expect(view().state).toBe("OPEN");
  clock.advance(twoMonthsMs - 1);
  expect(view().state).toBe("OPEN");
  clock.advance(1);

  expect(view().state).toBe("HALF_OPEN");
  set.close();
});

it("closing the set cancels its timers, and permits may still end", () => {
  const { clock, set, admitted } = opened();
  clock.advance(30_000);
  const probe = admitted();
  expect(clock.pendingTimers).toBe(1);

  set.close();
  probe.end(failure);

  expect(clock.pendingTimers).toBe(0);
});
