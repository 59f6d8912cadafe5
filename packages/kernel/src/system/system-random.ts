import type { Random } from "../random.ts";

/** Real chance. Only a composition root names it. */
export const systemRandom: Random = { next: () => Math.random() };
