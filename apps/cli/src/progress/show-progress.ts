import type { StreamMessage } from "@bridle/client";
import type { Clock, TimerHandle } from "@bridle/kernel";
import { createColors } from "picocolors";

import type { Io } from "../io.ts";
import { noProgress, reduceProgress } from "./progress.ts";
import type { Progress } from "./progress.ts";
import { renderProgressLine } from "./render-lines.ts";
import { renderTable } from "./render-table.ts";

export interface ProgressView {
  take(message: StreamMessage): void;
  /** A line above the table, or between the lines. */
  say(text: string): void;
  /** Leaves the last state on the screen and takes its hands off it. */
  stop(): void;
}

/** Often enough to look alive, seldom enough for a slow terminal. */
const frameMs = 100;

export function showProgress(io: Io, clock: Clock): ProgressView {
  return io.isTerminal ? redrawnTable(io, clock) : plainLines(io);
}

function plainLines(io: Io): ProgressView {
  return {
    take: (message) => {
      const line = renderProgressLine(message);
      if (line !== undefined) io.err(`${line}\n`);
    },
    say: (text) => io.err(`${text}\n`),
    stop: () => undefined,
  };
}

/** Redraws in place: as many lines up as were drawn last, then clear to the end of the screen. */
function redrawnTable(io: Io, clock: Clock): ProgressView {
  const colors = createColors(io.hasColor);
  let progress: Progress = noProgress;
  let drawn = 0;
  let timer: TimerHandle | undefined;

  function erase(): string {
    const up = drawn === 0 ? "" : `\u001B[${drawn}A\r\u001B[J`;
    drawn = 0;
    return up;
  }

  function draw(): void {
    const { columns, rows } = io;
    const lines = renderTable(progress, { columns, rows, now: clock.wallMs(), colors });
    io.err(`${erase()}${lines.join("\n")}\n`);
    drawn = lines.length;
  }

  function tick(): void {
    draw();
    timer = clock.setTimer(frameMs, tick);
  }

  return {
    take: (message) => {
      progress = reduceProgress(progress, message);
      if (timer === undefined) tick();
    },
    say: (text) => {
      io.err(`${erase()}${text}\n`);
      if (timer !== undefined) draw();
    },
    stop: () => {
      timer?.cancel();
      if (timer !== undefined) draw();
      timer = undefined;
      drawn = 0;
    },
  };
}
