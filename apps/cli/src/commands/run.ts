import { connect } from "../connect.ts";
import type { ConnectionOptions } from "../connect.ts";
import { followToEnd } from "../follow-to-end.ts";
import type { Io } from "../io.ts";
import { readDocument, readInput } from "../read-input.ts";
import { safeJson } from "../text/sanitize.ts";

export interface RunOptions extends ConnectionOptions {
  readonly input: readonly string[];
  readonly output: "text" | "json";
  readonly detach?: boolean | undefined;
  readonly local?: boolean | undefined;
  readonly config?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** Submits a workflow and follows it to its end. */
export async function runCommand(file: string, options: RunOptions, io: Io): Promise<number> {
  const spec = await readDocument(file, io);
  const input = await readInput(options.input, io);
  if (options.local !== true) return submitAndFollow({ spec, input }, options, io);
  const { startLocal } = await import("./start-local.ts");
  const local = await startLocal(options.config, io);
  try {
    const { url, apiKey } = local;
    return await submitAndFollow({ spec, input }, { ...options, url, apiKey, detach: false }, io);
  } finally {
    await local.stop();
  }
}

async function submitAndFollow(
  { spec, input }: { readonly spec: unknown; readonly input: Readonly<Record<string, unknown>> },
  options: RunOptions,
  io: Io,
): Promise<number> {
  const client = await connect(options, io);
  const { idempotencyKey, output: format } = options;
  const submitted = await client.submit(spec, input, { idempotencyKey });
  if (options.detach === true) {
    io.out(format === "json" ? `${safeJson(submitted, 2)}\n` : `${submitted.runId}\n`);
    return 0;
  }
  if (format === "text") io.err(`${submitted.runId} (trace ${submitted.traceId})\n`);
  const { runId } = submitted;
  return followToEnd({ client, runId, io, format, onInterrupt: "cancel" });
}
