import { z } from "zod";

import { beatSchema } from "./beats.ts";

/**
 * What crosses the pipe between a supervisor and an isolate. Each frame is one message. Identity comes from the channel, never
 * from a message; `token` names the task on it, so that words of an earlier task are dropped (GC-6).
 */

/** JSON text, in the frame or, when larger than a frame should be, in a file of the isolate's exchange folder. */
const payload = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ file: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }),
]);
export type Payload = z.infer<typeof payload>;

/** An error as it crosses: never a stack of the supervisor's. */
const wireError = z.strictObject({
  code: z.string().max(64),
  message: z.string().max(4096),
  retryable: z.boolean(),
  details: z.record(z.string(), z.unknown()).optional(),
  /** From a child only: the request whose refusal this was, so that the supervisor uses its own record of it. */
  from: z.int().nonnegative().optional(),
  stack: z.string().max(8192).optional(),
});
export type WireFault = z.infer<typeof wireError>;

const token = z.string().max(64);
const id = z.int().nonnegative();
const toolName = z.string().max(64);
const stepName = z.string().min(1).max(200);

const requestSchema = z.discriminatedUnion("op", [
  z.strictObject({
    op: z.literal("llm"),
    /** JSON text of a `ModelRequest`. */
    request: payload,
    deltas: z.boolean(),
  }),
  /** For a tool in the isolate: may it run? `args` is what the agent gave. */
  z.strictObject({ op: z.literal("tool.begin"), name: toolName, args: payload }),
  z.strictObject({
    op: z.literal("tool.end"),
    step: id,
    outcome: z.union([
      z.strictObject({ result: payload }),
      z.strictObject({ error: wireError, status: z.int().optional() }),
    ]),
  }),
  /** For a tool in the supervisor. */
  z.strictObject({ op: z.literal("tool.run"), name: toolName, args: payload }),
  z.strictObject({ op: z.literal("step.begin"), name: stepName, repeatable: z.boolean() }),
  z.strictObject({
    op: z.literal("step.end"),
    step: id,
    outcome: z.union([z.strictObject({ result: payload }), z.strictObject({ error: wireError })]),
  }),
  z.strictObject({ op: z.literal("budget") }),
  /** JSON text of a `SpawnRequestInput`. */
  z.strictObject({ op: z.literal("spawn"), request: payload }),
  /** For the result of a task below this one. */
  z.strictObject({ op: z.literal("await"), taskId: z.string().max(128) }),
]);
export type IsolateRequest = z.infer<typeof requestSchema>;

export const fromIsolateSchema = z.discriminatedUnion("type", [
  /** The agent's module is loaded. */
  z.strictObject({ type: z.literal("ready") }),
  z.strictObject({ type: z.literal("request"), token, id, request: requestSchema }),
  z.strictObject({ type: z.literal("beat"), token, beat: beatSchema }),
  z.strictObject({
    type: z.literal("log"),
    token,
    level: z.enum(["debug", "info", "warn", "error"]),
    message: z.string().max(8192),
    fields: z.record(z.string(), z.unknown()).optional(),
  }),
  z.strictObject({ type: z.literal("result"), token, output: payload }),
  z.strictObject({ type: z.literal("failed"), token, error: wireError }),
  /** After a task: whether timers, sockets or children beyond the baseline are left. Then the isolate is not used again. */
  z.strictObject({ type: z.literal("rested"), token, dirty: z.boolean() }),
]);
export type FromIsolate = z.infer<typeof fromIsolateSchema>;

export interface IsolateTask {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly traceId: string;
  readonly idempotencyKey: string;
}

/** The supervisor is trusted by its own isolate, so these carry no schema. */
export type ToIsolate =
  | {
      readonly type: "start";
      readonly token: string;
      readonly task: IsolateTask;
      readonly input: Payload;
    }
  | {
      readonly type: "answer";
      readonly token: string;
      readonly id: number;
      readonly value: Payload;
    }
  | {
      readonly type: "refusal";
      readonly token: string;
      readonly id: number;
      readonly error: WireFault;
    }
  | {
      readonly type: "delta";
      readonly token: string;
      readonly id: number;
      readonly text: string;
    }
  /** WD-18: a hint that the task goes round in circles. */
  | { readonly type: "nudge"; readonly token: string; readonly hint: string }
  | { readonly type: "cancel"; readonly token: string; readonly reason: WireFault };
