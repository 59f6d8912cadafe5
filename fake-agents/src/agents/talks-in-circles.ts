import { defineAgent } from "@bridle/agent";
import type { Message } from "@bridle/protocol";

/** One conversation in which the model is told to go on for ever, whatever it says (WD-18). */
export const talksInCircles = defineAgent<{ readonly model?: string }, never>({
  name: "talks-in-circles",
  module: import.meta.url,
  async run(ctx, { model = "smart" }) {
    const messages: Message[] = [{ role: "user", content: "Write the report." }];
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      const { text } = await ctx.llm(model, { messages: [...messages], maxOutputTokens: 200 });
      messages.push({ role: "assistant", content: text }, { role: "user", content: "Go on." });
    }
  },
});
