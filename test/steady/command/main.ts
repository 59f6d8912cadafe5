/**
 * `npm run steady [-- --rounds N] [--seed S]`
 *
 * Runs the unit tests N times in one process each: once from the last to the first, then shuffled by seeds. Exit code 1 when a test
 * fails in a round or comes to something else in another. The seeds differ from run to run, and are told; `--seed` plays them again.
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

import type { Round } from "../round.ts";
import { steady } from "../steady.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
  },
});

const [count, seed] = [Number(values.rounds), Number(values.seed)];
const rounds = Array.from({ length: count }, (_, index): Round =>
  index === 0 ? "reversed" : { seed: seed + index - 1 },
);
const unsteady = await steady({
  config: "test/steady/vitest.config.ts",
  rounds,
  tell: (line) => process.stdout.write(`${line}\n`),
});
for (const line of unsteady) process.stdout.write(`${line}\n`);
process.stdout.write(
  unsteady.length === 0
    ? `steady over ${count} rounds (--seed ${seed})\n`
    : `${unsteady.length} not steady over ${count} rounds; again with --seed ${seed}\n`,
);
process.exitCode = unsteady.length === 0 ? 0 : 1;
