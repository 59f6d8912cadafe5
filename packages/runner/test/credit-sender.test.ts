import fc from "fast-check";
import { expect, it } from "vitest";

import { creditBytes, CreditSender } from "../src/child/credit-sender.ts";

const kilobyte = "x".repeat(1024);

it("a flood that nobody takes leaves at most its credit on the way; the rest stays with the flooder", () => {
  const posted: string[] = [];
  const sender = new CreditSender((text) => posted.push(text));
  for (let n = 0; n < 10_000; n++) sender.send(kilobyte);
  expect(posted.length * kilobyte.length).toBe(creditBytes);
  sender.taken(10 * kilobyte.length);
  expect(posted.length * kilobyte.length).toBe(creditBytes + 10 * kilobyte.length);
});

it("one message larger than the credit goes alone", () => {
  const posted: string[] = [];
  const sender = new CreditSender((text) => posted.push(text));
  const large = "x".repeat(3 * creditBytes);
  sender.send(large);
  sender.send("after");
  expect(posted).toEqual([large]);
  sender.taken(large.length);
  expect(posted).toEqual([large, "after"]);
});

it("everything arrives in order, once, whenever it is taken", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.boolean())), (plan) => {
      const posted: string[] = [];
      let taken = 0;
      const sender = new CreditSender((text) => posted.push(text));
      const takeAll = (): void => {
        for (let text = posted[taken]; text !== undefined; text = posted[taken]) {
          taken += 1;
          sender.taken(text.length);
        }
      };
      const sent = plan.map(([kilobytes, isTaken], n) => {
        const text = `${n}:${kilobyte.repeat(kilobytes)}`;
        sender.send(text);
        if (isTaken) takeAll();
        return text;
      });
      takeAll();
      expect(posted.map((text) => text.split(":")[0])).toEqual(sent.map((_, n) => String(n)));
    }),
  );
});
