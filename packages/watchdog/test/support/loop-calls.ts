import type { LoopCall } from "../../src/index.ts";

/** A search, told of by its fingerprints. */
export function call(args: string, result: string, more: Partial<LoopCall> = {}): LoopCall {
  return {
    tool: "search",
    args,
    result,
    failed: false,
    isPolling: false,
    hasEffect: false,
    ...more,
  };
}

export function times(count: number, of: (index: number) => LoopCall): LoopCall[] {
  return Array.from({ length: count }, (_, index) => of(index));
}
