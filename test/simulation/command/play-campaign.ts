/**
 * Many seeds over several players.
 *
 * 1. Each seed is handed out once, in blocks, to whichever player is free: a slow machine or a large world keeps nobody waiting.
 * 2. After a failure, unless it keeps going, and after an abort no block is handed out any more; those in hand are played to
 *    their end.
 */
import type { CampaignOptions } from "./campaign-options.ts";
import type { Block } from "./play-seeds.ts";
import type { Player } from "./player.ts";
import { addTallies, nothing } from "./tally.ts";
import type { Failure, Tally } from "./tally.ts";

/** Less than a second's work, so that progress is told in time. */
const blockSeeds = 20;

export interface CampaignListener {
  readonly onTally: (tally: Tally) => void;
  /** Contract: told once per failing seed; the campaign goes on meanwhile, and is over only when it has resolved. */
  readonly onFailure: (failure: Failure) => Promise<void>;
  /** Ends it early: what was played until then is the answer. */
  readonly signal: AbortSignal;
}

export async function playCampaign(
  { from, seeds, keepGoing }: Pick<CampaignOptions, "from" | "seeds" | "keepGoing">,
  players: readonly Player[],
  { onTally, onFailure, signal }: CampaignListener,
): Promise<Tally> {
  const end = from + seeds;
  let next = from;
  let tally = nothing;
  let told = Promise.resolve();
  const take = (): Block | undefined => {
    const isOver = signal.aborted || (tally.failures.length > 0 && !keepGoing);
    if (next >= end || isOver) return undefined;
    const block = { from: next, seeds: Math.min(blockSeeds, end - next), keepGoing };
    next += block.seeds;
    return block;
  };
  const lead = async (player: Player): Promise<void> => {
    for (let block = take(); block !== undefined; block = take()) {
      // oxlint-disable-next-line no-await-in-loop -- a player plays one block at a time
      const played = await player.play(block);
      tally = addTallies(tally, played);
      onTally(tally);
      for (const failure of played.failures) told = told.then(async () => onFailure(failure));
    }
  };
  await Promise.all(players.map(lead));
  await told;
  return tally;
}
