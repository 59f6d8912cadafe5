import type { AnyAgent } from "@bridle/agent";

export const accident: AnyAgent;
export const neighbour: AnyAgent;
