import { SimulatedClock } from "@bridle/kernel/testing";
import { storeContract } from "@bridle/ports/contracts";
import { createMemoryStore } from "@bridle/ports/testing";

storeContract("memory", async () => {
  const clock = new SimulatedClock();
  const store = createMemoryStore({ clock });
  return { store, cleanup: async () => {}, advance: (ms) => clock.advance(ms) };
});
