import { FactorBook } from "@bridle/budget";
import { describe, expect, it } from "vitest";

describe("[BU-14] the factor book", () => {
  it("learns for each agent and model apart", () => {
    const book = new FactorBook();
    const overrun = { estimate: 100, actual: 200, reserved: 120 };
    book.settled("writer", "openai/large", overrun);
    expect(book.of("writer", "openai/large")).toBe(2.1);
    expect(book.of("writer", "openai/small")).toBe(1.2);
    expect(book.of("reader", "openai/large")).toBe(1.2);
  });

  it("goes below 1.0 only when it was told that it may", () => {
    const [careful, allowed] = [new FactorBook(), new FactorBook({ allowFactorBelowOne: true })];
    for (let index = 0; index < 2000; index += 1) {
      for (const book of [careful, allowed]) {
        book.settled("a", "m", { estimate: 1000, actual: 600, reserved: 1200 });
      }
    }
    expect([careful.of("a", "m"), allowed.of("a", "m")]).toEqual([1, 0.63]);
  });
});
