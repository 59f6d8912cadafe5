import type { Decision } from "./decision.ts";
import type { ItemName } from "./item-id.ts";
import { settleFanOut } from "./settle-fan-out.ts";
import { stopItems } from "./stop-task.ts";

/** After an item ended: its fan-out goes on, stops, or has ended with it. */
export function settleItem(decision: Decision, { parent, index }: ItemName): void {
  const items = decision.get(parent)?.items;
  if (items === undefined) return;
  if (items.tripped === index) stopItems(decision, parent, "the fan-out bears no more failures");
  settleFanOut(decision, parent);
}
