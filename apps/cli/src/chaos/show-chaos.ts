import type { ScenarioResult, ScenarioState } from "@bridle/fake-agents/chaos";
import type { Clock, TimerHandle } from "@bridle/kernel";
import { createColors } from "picocolors";

import type { Io } from "../io.ts";
import { renderChaosTable, renderResultLine } from "./render-chaos.ts";
import type { ChaosRow } from "./render-chaos.ts";

export interface ChaosView {
  state(name: string, round: number, state: ScenarioState): void;
  result(result: ScenarioResult): void;
  /** Leaves the last state on the screen. May be called twice. */
  stop(): void;
}

export interface ChaosShow {
  readonly scenarios: readonly { readonly name: string; readonly guard: string }[];
  readonly rounds: number;
  readonly guards: "on" | "off";
}

/** Seldom enough for a slow terminal. */
const frameMs = 200;

/** A table that is redrawn in a terminal; elsewhere a line per scenario. */
export function showChaos(io: Io, clock: Clock, show: ChaosShow): ChaosView {
  return io.isTerminal ? redrawnTable(io, clock, show) : plainLines(io, show);
}

function plainLines(io: Io, { guards }: ChaosShow): ChaosView {
  return {
    state: () => undefined,
    result: (result) => io.err(`${renderResultLine(result, guards)}\n`),
    stop: () => undefined,
  };
}

function redrawnTable(io: Io, clock: Clock, { scenarios, rounds }: ChaosShow): ChaosView {
  const colors = createColors(io.hasColor);
  const rows = new Map<string, ChaosRow>(
    scenarios.map(({ name, guard }) => [name, { name, guard, round: 1, state: "waiting" }]),
  );
  let drawn = 0;
  let timer: TimerHandle | undefined;

  function draw(): void {
    const up = drawn === 0 ? "" : `\u001B[${drawn}A\r\u001B[J`;
    const { columns, rows: height } = io;
    const lines = renderChaosTable([...rows.values()], { columns, height, rounds, colors });
    io.err(`${up}${lines.join("\n")}\n`);
    drawn = lines.length;
  }

  function tick(): void {
    draw();
    timer = clock.setTimer(frameMs, tick);
  }
  tick();

  return {
    state: (name, round, state) => {
      const row = rows.get(name);
      if (row !== undefined) rows.set(name, { ...row, round, state });
    },
    result: (result) => {
      const row = rows.get(result.name);
      if (row !== undefined) rows.set(result.name, { ...row, result });
    },
    stop: () => {
      if (timer === undefined) return;
      timer.cancel();
      timer = undefined;
      draw();
    },
  };
}
