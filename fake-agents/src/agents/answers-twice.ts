import { Socket } from "node:net";

import { defineAgent } from "@bridle/agent";

/** Sends its result a second time, behind its own context's back: only the first may count. */
export const answersTwice = defineAgent<unknown, { readonly answer: number }>({
  name: "answers-twice",
  module: import.meta.url,
  run() {
    repeatResults();
    return { answer: 42 };
  },
});

function repeatResults(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its own `this` below
  const write = Socket.prototype.write as (this: Socket, ...args: unknown[]) => boolean;
  Socket.prototype.write = function writeTwice(this: Socket, ...args: unknown[]): boolean {
    const [chunk] = args;
    const isResult = Buffer.isBuffer(chunk) && chunk.includes('"type":"result"');
    if (isResult) write.call(this, chunk);
    return write.apply(this, args);
  };
}
