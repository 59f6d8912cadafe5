/** From the ground up: a package may depend only on those its row names, and apps on everything. */
export const mayImport: Readonly<Record<string, readonly string[]>> = (() => {
  const ground = ["kernel", "protocol"];
  const decisions = ["dag", "watchdog", "breaker", "budget"];
  const adapter = [...ground, ...decisions, "ports"];
  return {
    kernel: [],
    protocol: ["kernel"],
    dag: ground,
    watchdog: ground,
    breaker: ground,
    budget: ground,
    ports: [...ground, "budget"],
    bus: [...ground, "ports"],
    llm: [...ground, "budget", "ports"],
    agent: ground,
    runner: [...adapter, "bus", "llm", "agent"],
    alerts: [...ground, "ports"],
    orchestrator: [...ground, "dag", "budget", "ports", "bus"],
    client: ground,
    "queue-bullmq": adapter,
    "store-postgres": adapter,
    expressions: adapter,
    "llm-providers": adapter,
    transport: adapter,
    telemetry: adapter,
  };
})();

/** Packages that take time, chance and ids as data and start nothing. */
export const purePackages = [
  "kernel",
  "protocol",
  "ports",
  "dag",
  "watchdog",
  "breaker",
  "budget",
] as const;

/** Each named library has one home. */
export const libraryHomes: Readonly<Record<string, readonly string[]>> = {
  "@pydantic/genai-prices": ["llm-providers"],
  bullmq: ["queue-bullmq"],
  "gpt-tokenizer": ["llm-providers"],
  ioredis: ["queue-bullmq"],
  mitt: ["bus"],
  nanoid: ["kernel"],
  pino: ["telemetry"],
  zod: ["protocol"],
};
