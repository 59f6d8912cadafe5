/** Agents that say far more than anybody can hear, for ever, and a neighbour that works. */
import { defineAgent } from "@bridle/agent";

const module = import.meta.url;

const turn = async () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const flood = (name, say) =>
  defineAgent({
    name,
    module,
    run: async (context) => {
      context.log.info("going");
      for (let round = 1; ; round += 1) {
        for (let n = 0; n < 1000; n += 1) say(context, round * 1000 + n);
        await turn();
      }
    },
  });

export const floodsBeats = flood("floods-beats", (context, step) => context.heartbeat({ step }));

const line = "x".repeat(1000);
export const floodsLog = flood("floods-log", (context) => context.log.info(line));

/** Never waits for an answer. */
export const floodsRequests = flood("floods-requests", (context, n) => {
  context.step(`step ${n}`, () => n).catch(() => {});
});

export const worksOn = defineAgent({
  name: "works-on",
  module,
  run: async (context) => {
    const answers = [];
    for (let n = 1; n <= 30; n += 1) {
      const { text } = await context.llm("small", { prompt: `${n}` });
      answers.push(await context.step(`double ${n}`, () => `${text}, doubled ${n * 2}`));
    }
    return answers;
  },
});
