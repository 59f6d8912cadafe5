import type { Io } from "../src/index.ts";

export interface FakeIo extends Io {
  readonly outText: string;
  readonly errText: string;
  readonly exits: readonly number[];
  interrupt(): void;
  readonly interruptHandlers: number;
}

export interface FakeIoOptions {
  readonly isTerminal?: boolean;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Io["env"];
  readonly fetch?: Io["fetch"];
}

/** A terminal in memory. Nothing listens on its server's address unless `fetch` says so. */
export function fakeIo({
  isTerminal = false,
  files = {},
  env = {},
  fetch,
}: FakeIoOptions = {}): FakeIo {
  let outText = "";
  let errText = "";
  const exits: number[] = [];
  const handlers = new Set<() => void>();
  return {
    out: (text) => void (outText += text),
    err: (text) => void (errText += text),
    isTerminal,
    hasColor: false,
    columns: 100,
    rows: 24,
    env: { BRIDLE_DATA_DIR: "/nonexistent/bridle", ...env },
    cwd: "/nonexistent",
    fetch:
      fetch ??
      (async () => {
        throw new TypeError("fetch failed");
      }),
    onInterrupt: (handler) => {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    onTerminate: () => () => undefined,
    exitNow: (code) => void exits.push(code),
    readText: async (path) => {
      const text = files[path];
      if (text !== undefined) return text;
      throw Object.assign(new Error("no such file"), { code: "ENOENT" });
    },
    get outText() {
      return outText;
    },
    get errText() {
      return errText;
    },
    exits,
    interrupt: () => {
      for (const handler of handlers) handler();
    },
    get interruptHandlers() {
      return handlers.size;
    },
  };
}
