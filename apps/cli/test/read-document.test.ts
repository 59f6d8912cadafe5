import { describe, expect, it } from "vitest";

import { runProgram } from "../src/index.ts";
import { readDocument } from "../src/read-input.ts";
import { fakeIo } from "./fake-io.ts";

const bomb = ["a", "b", "c", "d", "e", "f", "g", "h"]
  .map((name, index, all) => {
    const item = index === 0 ? "x" : `*${all[index - 1] ?? ""}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(", ")}]`;
  })
  .join("\n");

describe("a workflow file that is not plain data", () => {
  it.each([
    ["a bomb of aliases", bomb, /its aliases stand for too much/],
    ["a circle", "x: &x [*x]", /nests deeper than 100 levels/],
    ["endless brackets", "[".repeat(5000), /nests too deeply/],
    ["bytes by a tag", "x: !!binary aGVs", /tags are not supported at line 1/],
    ["a set by a tag", "x: !!set {a, b}", /tags are not supported/],
    ["a tag of somebody's", "x: !job a", /tags are not supported/],
    ["a list as a key", "? [a, b]\n: 1", /a key must be a text/],
    ["a key twice", "a: 1\na: 2", /keys must be unique at line 2/],
    ["a prototype", "__proto__: { a: 1 }", /"__proto__" is not allowed/],
    ["no number", "x: .nan", /the number NaN has no JSON form/],
    ["an infinite number", "x: 1e999", /the number Infinity has no JSON form/],
    ["a second document", "a: 1\n---\na: 2", /more than one document at line 2/],
  ])("is wrong use and says why, without a request: %s", async (_name, text, reason) => {
    const io = fakeIo({ files: { "wf.yaml": text } });

    expect(await runProgram(["run", "wf.yaml"], io)).toBe(2);
    expect(io.errText).toMatch(/^error \[body_malformed\] wf\.yaml is not valid YAML or JSON: /);
    expect(io.errText).toMatch(reason);
    expect(io.errText).not.toMatch(/call stack|parseAllDocuments|stringKeys/);
  });

  it("control: aliases, numbers as keys and dates as texts are plain data", async () => {
    const io = fakeIo({ files: { "wf.yaml": "a: &a { b: 2020-01-01 }\n1: *a" } });

    expect(await readDocument("wf.yaml", io)).toEqual({
      a: { b: "2020-01-01" },
      "1": { b: "2020-01-01" },
    });
  });
});
