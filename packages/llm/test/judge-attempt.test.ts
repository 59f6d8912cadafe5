import { CodedError } from "@bridle/kernel";
import { WireError } from "@bridle/ports";
import type { WirePart } from "@bridle/ports";
import { describe, expect, it } from "vitest";

import { judgeAttempt } from "../src/judge-attempt.ts";
import type { AttemptEnd } from "../src/judge-attempt.ts";
import { ReplyReading } from "../src/reply-reading.ts";

type Reason = Extract<WirePart, { readonly type: "finish" }>["reason"];

function reading(text: string, reason?: Reason, raw?: string): ReplyReading {
  const read = new ReplyReading({ onEvent: () => {} }, "north/large");
  if (text !== "") read.read({ type: "text", text });
  if (reason !== undefined) {
    read.read({ type: "finish", reason, raw });
  }
  return read;
}

function judged(end: Partial<AttemptEnd>) {
  return judgeAttempt({ reading: reading("hi", "stop"), interruption: undefined, ...end });
}

describe("[L15] an answer is one only when it ended as one", () => {
  it.each<[string, Reason]>([
    ["hi", "stop"],
    ["hi", "length"],
    ["", "length"],
  ])("%j that ended by %s is", (text, reason) => {
    expect(judged({ reading: reading(text, reason) })).toEqual({ outcome: "success" });
  });

  it.each<[string, Reason | undefined, string | undefined, string]>([
    ["hi", undefined, undefined, "The answer broke off without a finish reason."],
    ["", "stop", undefined, "The answer is empty."],
    ["hi", "error", undefined, "The answer ended for a reason that is not known: none."],
    ["hi", "other", "PAUSE", "The answer ended for a reason that is not known: PAUSE."],
    ["hi", "tomorrow's" as Reason, undefined, "The answer ended for a reason that is not known."],
  ])(
    "%j that ended by %s (%s) is malformed, which is the provider's fault",
    (text, reason, raw, message) => {
      const stage = text === "" ? "before_output" : "after_output";
      expect(judged({ reading: reading(text, reason, raw) })).toEqual({
        outcome: "failure",
        class: "malformed",
        failure: { stage, message, malformed: true },
      });
    },
  );

  it("a filter's end is a refusal, and nobody's fault", () => {
    expect(judged({ reading: reading("hi", "content_filter") })).toEqual({
      outcome: "neutral",
      class: "refusal",
      failure: { stage: "after_output", message: "The provider's filter ended the answer." },
    });
  });
});

describe("what ended the call comes before what the stream says", () => {
  const error = new WireError({ status: 500, message: "boom", stage: "before_output" });

  it("the caller, whose reason the call rejects with", () => {
    const reason = new Error("enough");
    expect(judged({ interruption: { by: "signal", reason }, error })).toEqual({
      outcome: "neutral",
      class: "aborted",
      failure: { stage: "after_output", message: "The caller ended the call." },
      abortedBy: { reason },
    });
  });

  it("a step timeout, which is the provider's silence", () => {
    const end = (code: string) => {
      const reason = new CodedError({ code, message: "m", retryable: true, status: 504 });
      return judged({ interruption: { by: "signal", reason } });
    };
    expect(end("step_timeout")).toMatchObject({
      outcome: "failure",
      class: "timeout",
      failure: { stage: "after_output", message: "The step timeout ended the call." },
    });
    expect(end("task_timeout")).toMatchObject({ outcome: "neutral", class: "aborted" });
    const alike = Object.assign(new Error("m"), { code: "step_timeout" });
    expect(judged({ interruption: { by: "signal", reason: alike } })).toMatchObject({
      class: "aborted",
    });
  });

  it("[WD-9] too long without output", () => {
    expect(judged({ interruption: { by: "no_output" }, error })).toEqual({
      outcome: "failure",
      class: "timeout",
      failure: {
        stage: "after_output",
        message: "Too long nothing came that counts as output.",
      },
    });
  });
});

describe("a stream that fails", () => {
  it("is what its facts say, at the stage that we saw", () => {
    const error = new WireError({ status: 500, message: "boom", stage: "before_output" });
    expect(judged({ error })).toEqual({
      outcome: "failure",
      class: "server_error",
      failure: { status: 500, message: "boom", stage: "after_output" },
    });
    const unauthorised = new WireError({ status: 401, message: "", stage: "after_output" });
    expect(judged({ reading: reading(""), error: unauthorised })).toMatchObject({
      outcome: "neutral",
      class: "auth",
      failure: { stage: "before_output" },
    });
  });

  it("with anything else is the target's own fault, and its words are not repeated", () => {
    expect(judged({ error: new Error("sk-secret") })).toEqual({
      outcome: "neutral",
      class: "unknown",
      failure: {
        stage: "after_output",
        message: "The model target failed in an unexpected way.",
      },
    });
  });
});
