import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeProvider, FakeReply, FakeRequest } from "@bridle/fake-agents/fake-llm";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { createPostgresDatabase } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { childrenOf } from "../support/isolate-watch.ts";
import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { filesBelow, findCanaries, processTexts, spellings } from "../support/secret-canary.ts";
import type { Places } from "../support/secret-canary.ts";
import { until } from "../support/until.ts";
import { bridle, spawnBridle } from "../system/bridle-process.ts";
import type { Spawned } from "../system/bridle-process.ts";
import { dumpDatabase } from "./dump-database.ts";

/*
 * A real installation with a fake secret in every place that takes one, and everything going wrong that could make one
 * of them seen. Then whatever it said, stored or left behind is searched.
 */

const secrets = {
  "a provider's key in a file": 'sk-alpha/K9+"7f\\Qz%1',
  "a provider's key in a variable": "sk-beta/Zr+4411=mm",
  "a provider's key from a function": "gamma.Kq77/x+Yw==",
  "a provider's header": "gateway/9f8+secret=",
  "a tool's token": 'tool/tok+en="55\\19',
  "the store's password": 'pass/w+rd"5519',
  "a wrong API key": "brd_wrong_0123456789abcdef",
};

const models = ["alpha", "beta", "gamma"].flatMap((provider) =>
  ["unauthorized", "page", "late", "error", "limited"].map((model) => `${provider}-${model}`),
);

/** Every careless thing a provider or a gateway may do with what it was sent. */
function careless({ model, headers }: FakeRequest): FakeReply {
  const sent = [headers["authorization"] ?? "", headers["x-gateway"] ?? ""];
  const key = sent[0]?.replace("Bearer ", "") ?? "";
  const base64 = sent.map((text) => Buffer.from(text).toString("base64"));
  const echoes = [...sent, ...sent.map(encodeURIComponent), ...base64].join(" ");
  const error = {
    message: `No: ${echoes}`,
    type: key,
    code: `code-${key}`,
    param: { key, base64 },
  };
  switch (model) {
    case "unauthorized":
      return { type: "status", status: 401, echoCredential: true };
    case "page":
      return { type: "status", status: 502, body: `<html>${echoes}</html>` };
    case "late":
      return { type: "error_in_200", error, afterCharacters: 5 };
    case "limited":
      return {
        type: "status",
        status: 429,
        headers: { "retry-after": "0", "x-request-id": key, "x-ratelimit-key": base64[0] ?? "" },
        body: { error },
      };
    default:
      return { type: "status", status: 400, body: { error } };
  }
}

const spec = {
  name: "leaks",
  onFailure: "continue",
  tasks: [
    ...models.flatMap((model) => [
      { id: `agent-${model}`, agent: "messenger", input: { model }, retry: { maxAttempts: 1 } },
      { id: `llm-${model}`, llm: { model, prompt: "hello" }, retry: { maxAttempts: 1 } },
    ]),
    { id: "gossip", agent: "gossip" },
    { id: "tools", agent: "tool-user", retry: { maxAttempts: 2, backoff: { initial: "1ms" } } },
  ],
};

const configPath = fileURLToPath(new URL("fixtures/bridle.config.ts", import.meta.url));

class House {
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

  static async open(storeUrl: (folder: string) => string): Promise<House> {
    const folder = await mkdtemp(join(tmpdir(), "bridle-secrets-"));
    await Promise.all(["data", "temporary"].map((name) => mkdir(join(folder, name))));
    await writeFile(join(folder, "alpha.key"), secrets["a provider's key in a file"]);
    await writeFile(join(folder, "leaks.json"), JSON.stringify(spec));
    return new House(folder, storeUrl(folder), await startFakeProvider({ script: careless }));
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
  async command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const said = await bridle({ cwd: this.#folder, env: { ...this.#env, ...env }, args });
    this.note(`bridle ${args[0]} (${this.places.size})`, `${said.out}\n${said.err}`);
    return said;
  }

  /** The key is shown once, on standard output: the only place where it may be. */
  async createKey(): Promise<void> {
    const args = ["keys", "create", "--name", "canary"];
    const { out, err } = await bridle({ cwd: this.#folder, env: this.#env, args });
    this.apiKeys["an API key"] = out.trim();
    this.note("bridle keys create, standard error", err);
  }

  async start(commands: readonly (readonly string[])[]): Promise<void> {
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
  async runWorkflow(): Promise<string> {
    const env = { BRIDLE_URL: this.#url, BRIDLE_API_KEY: this.apiKeys["an API key"] ?? "" };
    const pids = this.#processes.map(({ child }) => child.pid);
    let isOver = false;
    const running = this.command(["run", "leaks.json"], env).finally(() => (isOver = true));
    await until(() => {
      for (const pid of pids.flatMap((each) => childrenOf(each))) addAll(this, processTexts(pid));
      return isOver;
    });
    expect((await running).code).toBe(1);
    const { runs } = await this.client.list();
    return runs[0]?.runId ?? "";
  }

  async readEverything(runId: string): Promise<void> {
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
      await this.command(args, env);
    }
    await this.command(["runs", "list"], { ...env, BRIDLE_API_KEY: secrets["a wrong API key"] });
  }

  /** Starts that fail with a secret in their hands. */
  async failToStart(): Promise<void> {
    const password = secrets["the store's password"];
    const encoded = encodeURIComponent(password);
    const urls = [
      `postgres://bridle:${encoded}@127.0.0.1:1/nowhere`,
      `postgres://bridle:${password}@127.0.0.1:1/nowhere`,
      `mysql://bridle:${encoded}@127.0.0.1/nowhere`,
    ];
    await Promise.all(
      urls.map(async (BRIDLE_STORE_URL) => this.command(["server"], { BRIDLE_STORE_URL })),
    );
  }

  async stop(): Promise<void> {
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
}

function addAll(house: House, places: Places): void {
  for (const [place, text] of places) house.note(place, text);
}

async function live(house: House, commands: readonly (readonly string[])[]): Promise<string> {
  await house.createKey();
  await house.start(commands);
  const runId = await house.runWorkflow();
  await house.readEverything(runId);
  await house.failToStart();
  await house.stop();
  return runId;
}

const stores = [
  { store: "PGlite", isServer: false },
  { store: "Postgres", isServer: true },
].filter(({ isServer }) => !isServer || postgresBin !== undefined);

describe.each(stores)("[B199] an installation on $store", ({ isServer }) => {
  const postgres = usePostgres();
  let house: House;
  let runId: string;

  beforeAll(async () => {
    if (isServer) {
      const url = new URL(await postgres.server.createDatabase());
      url.password = encodeURIComponent(secrets["the store's password"]);
      house = await House.open(() => url.href);
      runId = await live(house, [["server"], ["worker"]]);
      const database = await createPostgresDatabase({ url: url.href });
      addAll(house, await dumpDatabase(database));
      await database.close();
      return;
    }
    house = await House.open((folder) => `pglite:${join(folder, "data")}`);
    runId = await live(house, [["dev"]]);
    const database = await openPgliteDatabase({ folder: house.dataFolder, clock: systemClock });
    addAll(house, await dumpDatabase(database));
    await database.close();
  }, 120_000);
  afterAll(async () => house.remove());

  it("[X4] lets none of its secrets out, in no spelling and in no place", () => {
    expect(findCanaries({ ...secrets, ...house.apiKeys }, house.places)).toEqual([]);
  });

  it("control: everything went wrong that was to, and left its traces in the places that were searched", () => {
    const places = [...house.places.keys()];
    const all = [...house.places.values()].join("\n");
    expect(house.apiKeys["an API key"]).toMatch(/^brd_/);
    expect(places.filter((place) => place.startsWith("/proc/")).length).toBeGreaterThan(1);
    expect(places.filter((place) => place.startsWith("table ")).length).toBeGreaterThan(10);
    for (const trace of [runId, "I pass on", "the tool said", "BRIDLE_ISOLATE="])
      expect([trace, all.includes(trace)]).toEqual([trace, true]);
    for (const place of ["event stream", "table bridle.entry"])
      expect([place, house.places.get(place)?.includes("answered 429")]).toEqual([place, true]);
    expect(all.split("[redacted]").length).toBeGreaterThan(30);
  });
});

describe("control: the search finds a secret", () => {
  it.each(spellings.map(([name, spell]) => ({ name, spell })))(
    "that is $name, whatever stands around it",
    ({ name, spell }) => {
      const secret = 'sk-canary/K9+"7f\\Qz%1';
      const places = new Map([["there", `before ${spell(secret)} after`]]);
      const found = findCanaries({ canary: secret }, places).map(({ spelling }) => spelling);
      expect(found).toContain(name);
    },
  );

  it.each([0, 1, 2, 3, 4, 5])("in base64 behind %i other bytes", (length) => {
    const text = Buffer.from(`${"x".repeat(length)}sk-canary-K9:tail`).toString("base64");
    expect(findCanaries({ canary: "sk-canary-K9" }, new Map([["there", text]]))).not.toEqual([]);
  });

  it("nowhere where there is none", () => {
    const places = new Map([["there", "sk-canary-K8 and nothing else"]]);
    expect(findCanaries({ canary: "sk-canary-K9" }, places)).toEqual([]);
  });
});
