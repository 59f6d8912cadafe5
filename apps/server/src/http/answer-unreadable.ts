import type { Socket } from "node:net";

import { bridleError } from "@bridle/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";

import { codedErrorOf, problemOf } from "./problem-of.ts";

/** The answers to what never reaches a route, in the form of all others: a URL that cannot be decoded, bytes that are no HTTP. */
export interface UnreadableAnswers {
  readonly frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => void;
  readonly clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

const reasons: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "Its headers are too large.",
  ERR_HTTP_REQUEST_TIMEOUT: "It did not arrive in time.",
};

export function answerUnreadable(newTraceId: () => string): UnreadableAnswers {
  return {
    frameworkErrors(error, _request, reply) {
      const problem = problemOf(codedErrorOf(error), newTraceId());
      void reply
        .code(problem.status)
        .type("application/problem+json")
        .send(JSON.stringify(problem));
    },
    clientErrorHandler(error, socket) {
      // A peer that is gone, or one that was answered half-way, gets no second head.
      if (error.code === "ECONNRESET" || !socket.writable || socket.bytesWritten > 0) {
        socket.destroy();
        return;
      }
      const message = `The request cannot be read. ${reasons[error.code ?? ""] ?? "It is not valid HTTP."}`;
      const problem = problemOf(bridleError("request_invalid", { message }), newTraceId());
      socket.end(rawAnswer(problem.status, JSON.stringify(problem)), () => socket.destroy());
    },
  };
}

function rawAnswer(status: number, body: string): string {
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
