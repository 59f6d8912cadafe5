import type { Family, TraceWriter } from "./trace-writer.ts";

/*
 * Each begins with some work, goes round in circles from where it says, and never comes out. As long as a task's patience: what
 * stops them must come long before their end.
 */

/** Some work that is none of the circle. */
function begin(trace: TraceWriter, most = 8): number {
  const steps = trace.draw(2, most);
  for (let step = 0; step < steps; step += 1) {
    trace.call("read_notes", { page: step }, `notes, page ${step}`);
  }
  return trace.steps.length;
}

const rounds = 40;

/** The same again. */
const repeating: readonly Family[] = [
  {
    name: "same-call",
    why: "The same folder is listed for ever, and nothing in it changes.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) trace.call("list", { path: "/" }, ["a", "b"]);
      return from;
    },
  },
  {
    name: "same-call-members-in-any-order",
    why: "The same arguments, written in another order each time.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) {
        const args = round % 2 === 0 ? { path: "/", depth: 1 } : { depth: 1, path: "/" };
        trace.call("list", args, ["a", "b"]);
      }
      return from;
    },
  },
  {
    name: "same-error",
    why: "A build is run again without a change, and fails in the same way.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) trace.fail("build", {}, "TS2322 in a.ts");
      return from;
    },
  },
  {
    name: "same-call-other-error",
    why: "The same job fails for ever; only the time in its message differs.",
    write(trace) {
      const from = begin(trace) + 1;
      const first = trace.draw(1, 1000);
      for (let round = 0; round < rounds; round += 1) {
        trace.fail("submit", { job: "train" }, `out of memory at ${first + round}`);
      }
      return from;
    },
  },
  {
    name: "same-write",
    why: "The same file is written with the same content for ever.",
    effects: ["write_file"],
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) {
        trace.call("write_file", { path: "a.txt", text: "x" });
      }
      return from;
    },
  },
  {
    name: "same-call-between-idle-polls",
    why: "Between polls that never change, the same question again and again.",
    polling: ["status"],
    write(trace) {
      const from = begin(trace) + 2;
      for (let round = 0; round < rounds; round += 1) {
        trace.call("status", {}, "idle");
        trace.call("list", { path: "/" }, ["a", "b"]);
      }
      return from;
    },
  },
  {
    name: "same-text",
    why: "The model announces its report for ever and never writes it.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) trace.say("I will now write the report.");
      return from;
    },
  },
  {
    name: "same-text-between-idle-polls",
    why: "The model says the same between polls that never change.",
    polling: ["status"],
    write(trace) {
      const from = begin(trace) + 2;
      for (let round = 0; round < rounds; round += 1) {
        trace.say("Still waiting.");
        trace.call("status", {}, "idle");
      }
      return from;
    },
  },
];

/** To and fro. */
const alternating: readonly Family[] = [
  {
    name: "two-calls-in-turn",
    why: "Config and status are read in turn; neither changes.",
    write(trace) {
      const from = begin(trace) + 2;
      for (let round = 0; round < rounds; round += 1) {
        trace.call("read_config", { name: "web" }, "port: 80");
        trace.call("check", { name: "web" }, "unhealthy");
      }
      return from;
    },
  },
  {
    name: "applies-and-reverts",
    why: "One patch is applied and reverted for ever.",
    effects: ["apply", "revert"],
    write(trace) {
      const from = begin(trace) + 2;
      for (let round = 0; round < rounds; round += 1) {
        trace.call("apply", { patch: 1 });
        trace.call("revert", { patch: 1 });
      }
      return from;
    },
  },
  {
    name: "flaps",
    why: "One question, answered and failed in turn, for ever.",
    write(trace) {
      const from = begin(trace) + 2;
      for (let round = 0; round < rounds; round += 1) {
        trace.fail("fetch", { id: 1 }, "connection reset");
        trace.call("fetch", { id: 1 }, "the row");
      }
      return from;
    },
  },
];

/** Other words for the same. */
const rewording: readonly Family[] = [
  {
    name: "paraphrases",
    why: "One question in ever other words, and the same four hits.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) {
        trace.call("search", { query: `tides, wording ${round}` }, ["a", "b", "c", "d"]);
      }
      return from;
    },
  },
  {
    name: "paraphrases-known-results",
    why: "One question in ever other words; a few results come back in any order.",
    write(trace) {
      const from = begin(trace) + 3;
      for (let round = 0; round < rounds; round += 1) {
        const hit = round < 3 ? round : trace.draw(0, 2);
        trace.call("search", { query: `tides, wording ${round}` }, [`hit ${hit}`]);
      }
      return from;
    },
  },
  {
    name: "no-results",
    why: "Spelling, order and punctuation of a search that finds nothing.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) {
        trace.call("search", { query: `pump p${".".repeat(round)}4` }, "No results");
      }
      return from;
    },
  },
  {
    name: "reworded-errors",
    why: "A tool that is down is asked in ever other words and always says so.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) {
        trace.fail("query", { sql: `select ${round}` }, "the database is down");
      }
      return from;
    },
  },
  {
    name: "paraphrases-in-few-places",
    why: "One question in ever other words, put to three sites in turn; each finds nothing.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) {
        const site = ["wiki", "news", "forum"][round % 3];
        trace.call("search", { query: `tides, wording ${round}`, site }, "No results");
      }
      return from;
    },
  },
  {
    name: "paraphrases-in-ever-other-places",
    why: "Other words and another place each time, after one place was asked twice; never a find.",
    write(trace) {
      const from = begin(trace) + 1;
      for (let round = 0; round < rounds; round += 1) {
        const site = `site ${Math.max(1, round)}`;
        trace.call("search", { query: `tides, wording ${round}`, site }, "No results");
      }
      return from;
    },
  },
  {
    name: "page-that-does-not-turn",
    why: "The page number rises, and the last page comes back each time.",
    write(trace) {
      const pages = trace.draw(10, 40);
      for (let page = 0; page < pages; page += 1) {
        trace.call("list_rows", { page }, `rows of page ${page}`);
      }
      const from = trace.steps.length;
      for (let page = pages; page < pages + rounds; page += 1) {
        trace.call("list_rows", { page }, `rows of page ${pages - 1}`);
      }
      return from;
    },
  },
  {
    name: "late",
    why: "Long, honest work, and then one call for ever.",
    effects: ["insert"],
    write(trace) {
      const records = trace.draw(50, 70);
      for (let record = 0; record < records; record += 1) trace.call("insert", { record });
      const from = trace.steps.length + 1;
      for (let round = 0; round < rounds; round += 1) trace.call("count", {}, records);
      return from;
    },
  },
];

export const loopFamilies: readonly Family[] = [...repeating, ...alternating, ...rewording];
