import { Command, CommanderError, Option } from "commander";

import { addChaos } from "./chaos/add-chaos.ts";
import { outputOption } from "./command-parts.ts";
import type { Act, Work } from "./command-parts.ts";
import { exitCodes } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { reportError } from "./report-error.ts";

/** Runs one command line. Resolves with the exit code; never rejects. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = exitCodes.completed;
  const program = buildProgram(io, async (work, args, options) => {
    exitCode = await work(args, options as never);
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version are not errors; everything else here is a mistake in the command line.
      return error.exitCode === 0 ? exitCodes.completed : exitCodes.badUsage;
    }
    return reportError(error, io, asksForJson(argv) ? "json" : "text");
  }
}

function asksForJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) =>
      word === "-ojson" ||
      word === "--output=json" ||
      (word === "json" && ["-o", "--output"].includes(argv[index - 1] ?? "")),
  );
}

type Perform = (work: Work, args: readonly string[], options: object) => Promise<void>;

function buildProgram(io: Io, perform: Perform): Command {
  const program = new Command("bridle")
    .description("Runs multi-agent workflows and can always stop them.")
    .version("0.1.0")
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError("(add --help for usage)")
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) });
  const act = (command: Command, work: Work): Command =>
    command.action(async (...received: unknown[]) => {
      // commander hands over the arguments, then the options, then the command.
      const args = received.slice(0, -2).flat().map(String);
      await perform(work, args, command.optsWithGlobals());
    });
  addServing(program, io, act);
  addRun(program, io, act);
  addRuns(program, io, act);
  addGuards(program, io, act);
  addKeys(program, io, act);
  addDoctor(program, io, act);
  addChaos(program, io, act);
  return program;
}

function withServer(command: Command): Command {
  return command
    .addOption(outputOption())
    .option("--url <url>", "the server (BRIDLE_URL)")
    .option("--api-key <key>", "the key to send (BRIDLE_API_KEY); default: this machine's token");
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function listening(command: Command): Command {
  return command
    .option("--host <address>", "address to listen on (BRIDLE_HOST)")
    .option("--port <port>", "port to listen on (PORT)");
}

// Commands are loaded when they run: `bridle dev` must not wait for what `bridle keys` needs.
const loadServe = async () => import("./commands/serve.ts");
const loadRuns = async () => import("./commands/runs.ts");
const loadShow = async () => import("./commands/show.ts");
const loadKeys = async () => import("./commands/keys.ts");

function addServing(program: Command, io: Io, act: Act): void {
  const serving = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option("--config <file>", "the configuration (BRIDLE_CONFIG)");
  act(
    listening(serving("dev", "Server, scheduler and worker in one process, on an embedded store.")),
    async (_args, options) => (await loadServe()).devCommand(options, io),
  );
  act(listening(serving("server", "API and scheduler.")), async (_args, options) =>
    (await loadServe()).serverCommand(options, io),
  );
  act(serving("worker", "Runs the tasks of the configured agents."), async (_args, options) =>
    (await import("./commands/worker.ts")).workerCommand(options, io),
  );
}

function addRun(program: Command, io: Io, act: Act): void {
  const command = withServer(program.command("run"))
    .description("Submits a workflow and follows it to its end.")
    .argument("<file>", "the workflow, YAML or JSON")
    .option("-i, --input <value>", "key=value, @file or a JSON object; repeatable", collect, [])
    .option("--idempotency-key <key>", "makes the submit safe to repeat for 24 hours")
    .option("-d, --detach", "print the run's id and leave")
    .option("--local", "run everything in this process, without a server")
    .option("--config <file>", "the configuration, with --local");
  act(command, async ([file = ""], options) =>
    (await import("./commands/run.ts")).runCommand(file, options, io),
  );
}

function addRuns(program: Command, io: Io, act: Act): void {
  const runs = program.command("runs").description("Look at runs and steer them.");
  const one = (name: string, description: string): Command =>
    withServer(runs.command(name)).description(description).argument("<run>", "the run's id");
  act(
    withServer(runs.command("list"))
      .description("Runs, newest first.")
      .option("--status <status>")
      .option("--workflow <name>")
      .option("--trace <id>")
      .option("--cursor <cursor>", "from the page before")
      .option("--limit <count>", "at most 200", "50"),
    async (_args, options) => (await loadRuns()).listRuns(options, io),
  );
  act(one("get", "One run with its tasks and output."), async ([id = ""], options) =>
    (await loadRuns()).getRun(id, options, io),
  );
  act(
    one("events", "The run's log.")
      .option("--after <seq>", "entries behind this number", "0")
      .option("--limit <count>", "at most so many", "1000000000"),
    async ([id = ""], options) => (await loadRuns()).listEvents(id, options, io),
  );
  act(one("follow", "Live progress of a run until it ends."), async ([id = ""], options) =>
    (await loadRuns()).followRun(id, options, io),
  );
  act(
    one("cancel", "Stops a run, or one task of it.")
      .option("--task <id>")
      .option("--reason <text>"),
    async ([id = ""], options) => (await loadRuns()).cancelRun(id, options, io),
  );
  act(
    one("pause", "Starts nothing new in a run.").option("--reason <text>"),
    async ([id = ""], options) => (await loadRuns()).pauseRun(id, options, io),
  );
  act(one("resume", "Lets a paused run go on."), async ([id = ""], options) =>
    (await loadRuns()).resumeRun(id, options, io),
  );
}

const breakerOrders = [
  ["open", "Refuses all calls of a breaker, in every worker."],
  ["close", "Lets all its calls go and judges none."],
  ["disable", "Takes the breaker away."],
  ["observe", "Lets it decide and tell, and refuse nothing."],
  ["reset", "Closes it and forgets what was held against it."],
] as const;

function addGuards(program: Command, io: Io, act: Act): void {
  act(
    withServer(program.command("agents")).description("Agents a workflow may name."),
    async (_args, options) => (await loadShow()).listAgents(options, io),
  );
  const breakers = program.command("breakers").description("Circuit breakers.");
  act(
    withServer(breakers.command("list")).description("Breakers that have opened."),
    async (_args, options) => (await loadShow()).listBreakers(options, io),
  );
  for (const [action, what] of breakerOrders) {
    act(
      withServer(breakers.command(action))
        .description(what)
        .argument("<key>", "e.g. agent:my-workflow/my-agent")
        .requiredOption("--reason <text>", "for whoever wonders tomorrow")
        .option("--for <duration>", "how long, e.g. 10m; an hour by default"),
      async ([key = ""], options) => (await loadShow()).orderBreaker(action)(key, options, io),
    );
  }
  act(
    withServer(program.command("top"))
      .description("The runs that were charged most in the last minute.")
      .addOption(new Option("--by <measure>", "order").choices(["money", "tokens"])),
    async (_args, options) => (await loadShow()).showBurn(options, io),
  );
  const budget = program.command("budget").description("Budget envelopes.");
  act(
    withServer(budget.command("get"))
      .description("Every envelope of a run.")
      .argument("<run>", "the run's id"),
    async ([id = ""], options) => (await loadShow()).getBudget(id, options, io),
  );
  act(
    withServer(budget.command("raise"))
      .description("Adds to the limits of a run, or of one of its tasks.")
      .argument("<run>", "the run's id")
      .option("--tokens <count>", "tokens to add")
      .option("--usd <amount>", "US dollars to add, e.g. 2.50")
      .option("--calls <count>", "calls to add")
      .option("--envelope <task>", "a task with a budget of its own"),
    async ([id = ""], options) => (await loadShow()).raiseBudget(id, options, io),
  );
}

function addKeys(program: Command, io: Io, act: Act): void {
  const keys = program.command("keys").description("API keys of this machine's data folder.");
  act(
    keys
      .command("create")
      .description("Makes a key and prints it once.")
      .addOption(outputOption())
      .option("--name <name>", "what it is for", "default")
      .option(
        "--scope <scope>",
        "read, submit, operate or admin (default); repeatable",
        collect,
        [],
      )
      .option("--per-day-usd <amount>", "US dollars its runs may spend in a UTC day")
      .option("--per-day-tokens <count>", "tokens its runs may spend in a UTC day")
      .option("--per-day-calls <count>", "calls its runs may make in a UTC day"),
    async (_args, options) => (await loadKeys()).createKeyCommand(options, io),
  );
  act(
    keys.command("list").description("Keys, without their secrets.").addOption(outputOption()),
    async (_args, options) => (await loadKeys()).listKeysCommand(options, io),
  );
  act(
    keys
      .command("revoke")
      .description("Makes a key useless.")
      .argument("<id>")
      .addOption(outputOption()),
    async ([id = ""], options) => (await loadKeys()).revokeKeyCommand(id, options, io),
  );
}

function addDoctor(program: Command, io: Io, act: Act): void {
  act(
    program
      .command("doctor")
      .description("Looks this installation over: configuration, prices, keys, store, files.")
      .addOption(outputOption())
      .option("--config <file>", "the configuration (BRIDLE_CONFIG)"),
    async (_args, options) => (await import("./commands/doctor.ts")).doctorCommand(options, io),
  );
}
