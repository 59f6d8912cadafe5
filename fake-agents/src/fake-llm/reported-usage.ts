import type { Exchange } from "./exchange.ts";
import type { AnswerReply, FakeUsage } from "./reply.ts";

/** The usage that a complete answer reports; a scripted one is billed from here on (C3). */
export function reportedUsage(
  exchange: Exchange,
  usage: AnswerReply["usage"],
): FakeUsage | undefined {
  if (usage === undefined) return exchange.bill.honestUsage();
  if (usage === "missing") return undefined;
  exchange.bill.billAs(usage);
  return usage;
}
