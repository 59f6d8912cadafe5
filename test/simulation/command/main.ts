/**
 * `npm run simulate -- --seeds N [--from S] [--processes P] [--keep-going] [-o json]`, or `--seed S` for one world.
 *
 * Plays N seeds, each twice. Tells on standard error how far it is, and of each failing seed what broke, with its shrunken
 * world, which is kept as a case; then it stops, or goes on to the end. Ctrl-C ends it with the summary of what was played.
 * Standard output has the summary alone. Exit code 1 when a seed failed, 2 when nothing could be played.
 */
import { bundlePlayer } from "./bundle-player.ts";
import { readCampaignOptions } from "./campaign-options.ts";
import type { CampaignOptions } from "./campaign-options.ts";
import { describeCampaign, describeProgress } from "./describe-campaign.ts";
import { keepFailure } from "./keep-failure.ts";
import { playCampaign } from "./play-campaign.ts";
import { startPlayer } from "./player.ts";
import { nothing } from "./tally.ts";
import type { Failure, Tally } from "./tally.ts";

const progressEveryMs = 5000;
/** Failing seeds that are shrunken and kept. A fault that breaks many worlds is seen in a few. */
const mostKept = 5;

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function failureTeller(): (failure: Failure) => Promise<void> {
  let kept = 0;
  return async (failure) => {
    kept += 1;
    if (kept <= mostKept) say(`\n${await keepFailure(failure)}\n`);
    else say(`seed ${failure.seed} breaks ${failure.invariant}`);
  };
}

async function play(options: CampaignOptions, file: string): Promise<void> {
  const { seeds, output } = options;
  const players = Array.from({ length: options.processes }, () => startPlayer(file));
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  let soFar: Tally = nothing;
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  const progress = setInterval(
    () => say(describeProgress(soFar, seeds, seconds())),
    progressEveryMs,
  );
  try {
    const tally = await playCampaign(options, players, {
      onTally: (next) => {
        soFar = next;
      },
      onFailure: failureTeller(),
      signal: interrupted.signal,
    });
    const figures = { ...tally, from: options.from, seconds: seconds() };
    const summary =
      output === "json" ? JSON.stringify(figures) : describeCampaign(tally, figures.seconds);
    process.stdout.write(`${summary}\n`);
    process.exitCode = tally.failures.length > 0 ? 1 : 0;
  } finally {
    clearInterval(progress);
    for (const player of players) player.close();
  }
}

async function main(): Promise<void> {
  const options = readCampaignOptions(process.argv.slice(2));
  const bundle = await bundlePlayer();
  try {
    await play(options, bundle.file);
  } finally {
    bundle.remove();
  }
}

try {
  await main();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
