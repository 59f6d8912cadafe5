export { SimulatedClock } from "./simulated-clock.ts";
export { seededRandom } from "./seeded-random.ts";
export { sequenceIds } from "./sequence-ids.ts";
