import { createClient } from "@bridle/client";
import type { StreamMessage } from "@bridle/client";
import { seededRandom } from "@bridle/kernel/testing";
import { asRunId } from "@bridle/protocol";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { append, finished, startWorld, submitDemo, token } from "../../apps/server/test/support.ts";
import type { World } from "../../apps/server/test/support.ts";
import { impatientClock } from "../support/impatient-clock.ts";
import { bodyOf, cutsOf, spellingsOf, splitsOf } from "../support/sse-fuzzer.ts";
import type { Ending, Pieces } from "../support/sse-fuzzer.ts";

/** A run that has ended, on the real API. */
let world: World;
let runId: string;
let seqs: readonly number[];

beforeAll(async () => {
  world = startWorld();
  runId = await submitDemo(world);
  await append(world, runId, { type: "run.started" });
  for (const by of ["Jörg 🔥", "line\nend", "\uFEFFmark", 'quote"d']) {
    // oxlint-disable-next-line no-await-in-loop -- one entry after the other
    await append(world, runId, { type: "run.paused", reason: by }, { type: "run.resumed", by });
  }
  await append(world, runId, finished);
  const log = await world.store.runs.read(asRunId(runId), { afterSeq: 0, limit: 1000 });
  seqs = log.map(({ seq }) => seq);
});
afterAll(async () => world.api.close());

/** What the server sends to a reader that has seen everything up to there. */
async function sentAfter(lastEventId: string | null) {
  const { statusCode, rawPayload } = await world.api.inject({
    url: `/api/v1/runs/${runId}/stream`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId === null ? {} : { "last-event-id": lastEventId }),
    },
  });
  return { status: statusCode, bytes: new Uint8Array(rawPayload) };
}

type Network = (
  bytes: Uint8Array,
  connection: number,
) => {
  readonly pieces: Pieces;
  readonly ending?: Ending;
};

interface Followed {
  readonly messages: readonly StreamMessage[];
  readonly connections: number;
}

/** Follows the run to its end over that network. `forgets`: it never says what it has seen. */
async function follow(network: Network, forgets = false): Promise<Followed> {
  let connections = 0;
  const client = createClient({
    url: "http://127.0.0.1:1",
    apiKey: token,
    fetch: async (_url, init) => {
      const seen = new Headers(init?.headers).get("last-event-id");
      const { status, bytes } = await sentAfter(forgets && connections > 0 ? "9" : seen);
      const { pieces, ending } = network(bytes, connections);
      connections += 1;
      const body = status === 204 ? null : bodyOf(pieces, ending);
      return new Response(body, { status, headers: { "content-type": "text/event-stream" } });
    },
    clock: impatientClock,
    random: seededRandom(1),
  });
  const messages: StreamMessage[] = [];
  for await (const message of client.follow(runId, { afterSeq: 0 })) messages.push(message);
  return { messages, connections };
}

const seqsOf = ({ messages }: Followed) => messages.map(({ seq }) => seq);

describe("[B034] [B035] a run's stream reads the same wherever the network cuts it into pieces", () => {
  it("at every offset, byte by byte, and in every spelling of its line ends", async () => {
    const { bytes } = await sentAfter("0");
    const expected = (await follow((sent) => ({ pieces: [sent] }))).messages;
    expect(expected.map(({ seq }) => seq)).toEqual(seqs);
    const lines = new TextDecoder().decode(bytes).split("\n");
    const spellings = spellingsOf(lines).flatMap(({ name, bytes: spelt }) =>
      splitsOf(spelt)
        .filter((_, index, all) => index % 13 === 0 || index >= all.length - 2)
        .map(([split, pieces]) => ({ name: `${name}, ${split}`, pieces })),
    );
    const everyOffset = splitsOf(bytes).map(([name, pieces]) => ({ name, pieces }));
    for (const { name, pieces } of [...everyOffset, ...spellings]) {
      // oxlint-disable-next-line no-await-in-loop -- one stream after the other
      const { messages } = await follow(() => ({ pieces }));
      expect([name, messages]).toEqual([name, expected]);
    }
  });
});

describe("[B184] a run's stream that breaks off goes on behind what was seen", () => {
  it("after every byte, cleanly ended or broken, with nothing lost and nothing doubled", async () => {
    const { bytes } = await sentAfter("0");
    for (const { offset, ending, pieces } of cutsOf(bytes)) {
      // oxlint-disable-next-line no-await-in-loop -- one stream after the other
      const followed = await follow((sent, connection) =>
        connection === 0 ? { pieces, ending } : { pieces: [sent] },
      );
      expect([offset, ending, seqsOf(followed)]).toEqual([offset, ending, seqs]);
      expect(followed.connections).toBe(2);
    }
  });

  it("again and again, wherever", async () => {
    const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });
    const endings = fc.constantFrom<Ending>("ends", "breaks");
    await fc.assert(
      fc.asyncProperty(cuts, endings, async (at, ending) => {
        const followed = await follow((sent, connection) => {
          const cut = at[connection];
          return cut === undefined ? { pieces: [sent] } : { pieces: [sent.slice(0, cut)], ending };
        });
        expect(seqsOf(followed)).toEqual(seqs);
      }),
      { numRuns: 100 },
    );
  });

  it("control: a reader that does not say what it has seen would lose some", async () => {
    const cutEarly: Network = (sent, connection) => ({
      pieces: [connection === 0 ? sent.slice(0, 300) : sent],
    });
    expect(seqsOf(await follow(cutEarly, true))).not.toEqual(seqs);
    expect(seqsOf(await follow(cutEarly))).toEqual(seqs);
  });
});
