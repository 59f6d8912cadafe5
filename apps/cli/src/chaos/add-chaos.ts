import { Option } from "commander";
import type { Command } from "commander";

import { outputOption } from "../command-parts.ts";
import type { Act } from "../command-parts.ts";
import type { Io } from "../io.ts";

const load = async () => import("../commands/chaos.ts");

/** `bridle chaos list` and `bridle chaos run`. */
export function addChaos(program: Command, io: Io, act: Act): void {
  const chaos = program
    .command("chaos")
    .description("Agents that go wrong, against these limits or your own.");
  act(
    chaos.command("list").description("What there is to play.").addOption(outputOption()),
    async (_args, options) => (await load()).listChaos(options, io),
  );
  act(
    chaos
      .command("run")
      .description("Plays scenarios on this machine; 1 when a bound is missed.")
      .argument("[names...]", "scenarios, as `chaos list` names them")
      .option("--all", "every scenario")
      .option("--rounds <count>", "how often", "1")
      .option("--seed <number>", "draws their order", "1")
      .option("--parallel <count>", "scenarios at once", "8")
      .addOption(
        new Option("--guards <on|off>", "off shows what they are for")
          .choices(["on", "off"])
          .default("on"),
      )
      .option("--config <file>", "takes guards, limits and liveness from this configuration")
      .addOption(outputOption()),
    async (names, options) => (await load()).runChaos(names, options, io),
  );
}
