import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeProvider } from "@bridle/fake-agents/fake-llm";
import { childrenOf } from "@bridle/fake-agents/process-table";
import { systemClock, systemRandom } from "@bridle/kernel/system";

import { filesBelow, processTexts } from "../support/secret-canary.ts";
import type { Places } from "../support/secret-canary.ts";
import { until } from "../support/until.ts";
import { bridle, spawnBridle } from "../system/bridle-process.ts";
import type { Spawned } from "../system/bridle-process.ts";
import { careless, spec } from "./careless-provider.ts";

export const secrets = {
  "a provider's key in a file": 'sk-alpha/K9+"7f\\Qz%1',
  "a provider's key in a variable": "sk-beta/Zr+4411=mm",
  "a provider's key from a function": "gamma.Kq77/x+Yw==",
  "a provider's header": "gateway/9f8+secret=",
  "a tool's token": 'tool/tok+en="55\\19',
  "the store's password": 'pass/w+rd"5519',
  "a wrong API key": "brd_wrong_0123456789abcdef",
};

const configPath = fileURLToPath(new URL("fixtures/bridle.config.ts", import.meta.url));

/** Where the secrets live, and all that was heard from it. */
export class LeakyHouse {
  readonly places = new Map<string, string>();
  readonly apiKeys: Record<string, string> = {};
  readonly #folder: string;
  readonly #storeUrl: string;
  readonly #provider: FakeProvider;
  #processes: Spawned[] = [];
  #client: Client | undefined;
  #url = "";

  private constructor(folder: string, storeUrl: string, provider: FakeProvider) {
    this.#folder = folder;
    this.#storeUrl = storeUrl;
    this.#provider = provider;
  }

  static async open(storeUrl: (folder: string) => string): Promise<LeakyHouse> {
    const folder = await mkdtemp(join(tmpdir(), "bridle-secrets-"));
    await Promise.all(["data", "temporary"].map((name) => mkdir(join(folder, name))));
    await writeFile(join(folder, "alpha.key"), secrets["a provider's key in a file"]);
    await writeFile(join(folder, "leaks.json"), JSON.stringify(spec));
    return new LeakyHouse(folder, storeUrl(folder), await startFakeProvider({ script: careless }));
  }

  get dataFolder(): string {
    return join(this.#folder, "data");
  }

  get #env(): Readonly<Record<string, string>> {
    return {
      BRIDLE_STORE_URL: this.#storeUrl,
      BRIDLE_DATA_DIR: this.dataFolder,
      BRIDLE_CONFIG: configPath,
      BRIDLE_SHUTDOWN_MS: "15000",
      LOG_LEVEL: "debug",
      PORT: "0",
      TMPDIR: join(this.#folder, "temporary"),
      PROVIDER_URL: this.#provider.url,
      ALPHA_KEY_FILE: join(this.#folder, "alpha.key"),
      BETA_KEY: secrets["a provider's key in a variable"],
      GAMMA_KEY: secrets["a provider's key from a function"],
      GATEWAY_HEADER: secrets["a provider's header"],
      TOOL_TOKEN: secrets["a tool's token"],
    };
  }

  /** A command of the terminal, with what it said kept. */
  async #command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const said = await bridle({ cwd: this.#folder, env: { ...this.#env, ...env }, args });
    this.note(`bridle ${args[0]} (${this.places.size})`, `${said.out}\n${said.err}`);
    return said;
  }

  /** The key is shown once, on standard output: the only place where it may be. */
  async #createKey(): Promise<void> {
    const args = ["keys", "create", "--name", "canary"];
    const { out, err } = await bridle({ cwd: this.#folder, env: this.#env, args });
    this.apiKeys["an API key"] = out.trim();
    this.note("bridle keys create, standard error", err);
  }

  async #start(commands: readonly (readonly string[])[]): Promise<void> {
    for (const args of commands) {
      const spawned = spawnBridle({ cwd: this.#folder, env: this.#env, args });
      this.#processes.push(spawned);
      const hasStarted = (): boolean =>
        /listening on|Working for/.test(spawned.out() + spawned.err()) ||
        spawned.child.exitCode !== null;
      // oxlint-disable-next-line no-await-in-loop -- the server makes the tables
      await until(hasStarted);
      if (spawned.child.exitCode !== null) throw new Error(spawned.err());
    }
    this.#url = /http:\/\/\S+/.exec(this.#processes[0]?.out() ?? "")?.[0] ?? "";
    this.apiKeys["the install token"] = (
      await readFile(join(this.dataFolder, "token"), "utf8")
    ).trim();
    this.#client = createClient({
      url: this.#url,
      apiKey: this.apiKeys["an API key"] ?? "",
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        return response.headers.get("content-type")?.includes("event-stream") === true
          ? response
          : this.#noted(url, response);
      },
      clock: systemClock,
      random: systemRandom,
    });
  }

  async #noted(url: string, response: Response): Promise<Response> {
    const text = await response.text();
    const headers = JSON.stringify([...response.headers]);
    this.note(`answer to ${url} (${this.places.size})`, `${headers}\n${text}`);
    return new Response(response.status === 204 ? null : text, response);
  }

  note(place: string, text: string): void {
    this.places.set(place, text);
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error("The installation has not been started.");
    return this.#client;
  }

  /** Over the terminal, so that its progress is searched too; meanwhile agents' processes are looked at from outside. */
  async #runWorkflow(): Promise<string> {
    const env = { BRIDLE_URL: this.#url, BRIDLE_API_KEY: this.apiKeys["an API key"] ?? "" };
    const pids = this.#processes.map(({ child }) => child.pid);
    let isOver = false;
    const running = this.#command(["run", "leaks.json"], env).finally(() => (isOver = true));
    await until(() => {
      for (const pid of pids.flatMap((each) => childrenOf(each))) this.noteAll(processTexts(pid));
      return isOver;
    });
    const { code, err } = await running;
    if (code !== 1) throw new Error(`The run was to fail, and ended with ${code}: ${err}`);
    const { runs } = await this.client.list();
    return runs[0]?.runId ?? "";
  }

  async #readEverything(runId: string): Promise<void> {
    const { client } = this;
    await client.get(runId);
    await client.list();
    await client.events(runId, { limit: 1000 });
    await client.budgets(runId);
    await client.agents();
    await client.breakers();
    const authorization = `Bearer ${this.apiKeys["an API key"]}`;
    const stream = await fetch(`${this.#url}/api/v1/runs/${runId}/stream`, {
      headers: { authorization, "last-event-id": "0" },
    });
    this.note("event stream", await stream.text());
    const env = { BRIDLE_URL: this.#url, BRIDLE_API_KEY: this.apiKeys["an API key"] ?? "" };
    const commands = [
      ["runs", "get", runId],
      ["runs", "events", runId],
      ["runs", "follow", runId],
      ["budget", "get", runId],
      ["breakers", "list"],
      ["keys", "list"],
    ];
    for (const args of commands) {
      // oxlint-disable-next-line no-await-in-loop -- one command after the other
      await this.#command(args, env);
    }
    await this.#command(["runs", "list"], { ...env, BRIDLE_API_KEY: secrets["a wrong API key"] });
  }

  /** Starts that fail with a secret in their hands. */
  async #failToStart(): Promise<void> {
    const password = secrets["the store's password"];
    const encoded = encodeURIComponent(password);
    const urls = [
      `postgres://bridle:${encoded}@127.0.0.1:1/nowhere`,
      `postgres://bridle:${password}@127.0.0.1:1/nowhere`,
      `mysql://bridle:${encoded}@127.0.0.1/nowhere`,
    ];
    await Promise.all(
      urls.map(async (BRIDLE_STORE_URL) => this.#command(["server"], { BRIDLE_STORE_URL })),
    );
  }

  async #stop(): Promise<void> {
    for (const [index, spawned] of this.#processes.toReversed().entries()) {
      spawned.child.kill("SIGTERM");
      // oxlint-disable-next-line no-await-in-loop -- the worker first
      await spawned.exited;
      this.note(`process ${index}`, `${spawned.out()}\n${spawned.err()}`);
    }
    await this.#provider.close();
    for (const [place, text] of filesBelow(this.#folder, ["alpha.key", "data/token"]))
      this.note(place, text);
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  noteAll(places: Places): void {
    for (const [place, text] of places) this.note(place, text);
  }

  /** From its first key to its end; the id of the run it had. */
  async live(...commands: readonly (readonly string[])[]): Promise<string> {
    await this.#createKey();
    await this.#start(commands);
    const runId = await this.#runWorkflow();
    await this.#readEverything(runId);
    await this.#failToStart();
    await this.#stop();
    return runId;
  }
}
