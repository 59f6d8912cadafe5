import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import {
  creditBytes,
  messagesPerWindow,
  ReadGate,
  windowMs,
} from "../src/supervision/read-gate.ts";

function gate() {
  const clock = new SimulatedClock();
  const told: string[] = [];
  const reading = new ReadGate({
    clock,
    pause: () => told.push("pause"),
    resume: () => told.push("resume"),
  });
  const flood = (count: number): void => {
    for (let index = 0; index < count; index++) reading.count();
  };
  return { clock, told, reading, flood };
}

it("[X2] a flood is read for a while, then waits until the window is over, again and again", () => {
  const { clock, told, reading, flood } = gate();
  flood(messagesPerWindow - 1);
  expect(told).toEqual([]);
  flood(1);
  expect(told).toEqual(["pause"]);
  // The rest of a chunk that was read already.
  flood(500);
  clock.advance(windowMs - 1);
  expect(told).toEqual(["pause"]);
  clock.advance(1);
  expect(told).toEqual(["pause", "resume"]);
  flood(messagesPerWindow);
  expect([told, reading.rests]).toEqual([["pause", "resume", "pause"], 2]);
  clock.advance(windowMs);
  expect(clock.pendingTimers).toBe(0);
});

it("[X2] who stays below the rate never waits", () => {
  const { clock, told, flood } = gate();
  for (let window = 0; window < 100; window++) {
    flood(messagesPerWindow - 1);
    clock.advance(windowMs);
  }
  expect(told).toEqual([]);
});

it("[X2] requests in hand hold at most their credit, and reading goes on when some are answered", () => {
  const { told, reading } = gate();
  reading.hold(creditBytes);
  expect(told).toEqual([]);
  reading.hold(1);
  reading.hold(1000);
  expect(told).toEqual(["pause"]);
  reading.hold(-1000);
  expect(told).toEqual(["pause"]);
  reading.hold(-1);
  expect(told).toEqual(["pause", "resume"]);
});

it("[X2] reading goes on only when neither the credit nor the rate holds it", () => {
  const { clock, told, reading, flood } = gate();
  reading.hold(creditBytes + 1);
  flood(messagesPerWindow);
  clock.advance(windowMs);
  expect(told).toEqual(["pause"]);
  reading.hold(-1);
  expect(told).toEqual(["pause", "resume"]);
});
