import { parseArgs } from "node:util";

export interface CampaignOptions {
  /** The first seed. */
  readonly from: number;
  readonly seeds: number;
  readonly processes: number;
  /** After a seed has failed. */
  readonly keepGoing: boolean;
  readonly output: "text" | "json";
}

/** Throws what is wrong with the arguments, in words for whoever typed them. */
export function readCampaignOptions(args: readonly string[]): CampaignOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: "string" },
      seed: { type: "string" },
      from: { type: "string" },
      processes: { type: "string", default: "2" },
      "keep-going": { type: "boolean", default: false },
      output: { type: "string", short: "o", default: "text" },
    },
  });
  const { seed, output } = values;
  if (output !== "text" && output !== "json") {
    throw new Error(`--output is ${output}; it may be text or json.`);
  }
  return {
    from: whole("from", values.from ?? seed ?? "1", 0),
    // One seed alone is one world; with a number of seeds it is the first of them.
    seeds: whole("seeds", values.seeds ?? (seed === undefined ? "200" : "1"), 1),
    processes: whole("processes", values.processes, 1),
    keepGoing: values["keep-going"],
    output,
  };
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Error(`--${name} is ${text}; it must be a whole number of at least ${least}.`);
}
