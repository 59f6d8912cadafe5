import type { Family } from "./trace-writer.ts";

/*
 * Work that looks like a loop to somebody who only counts.
 */

const words = ["amber", "basalt", "cedar", "delta", "ember", "fjord", "gorse", "heath", "islet"];
const word = (index: number): string => `${words[index % words.length]}-${index}`;

/** Reading, page by page and place by place. */
const reading: readonly Family[] = [
  {
    name: "pages-by-cursor",
    why: "Each cursor leads to another page, and the last page ends it.",
    write(trace) {
      const pages = trace.draw(60, 90);
      for (let page = 0; page < pages; page += 1) {
        const next = page + 1 < pages ? `cursor-${page + 1}` : null;
        trace.call("list_rows", { cursor: `cursor-${page}` }, { rows: [word(page)], next });
      }
      trace.say("All rows are read.");
    },
  },
  {
    name: "days-often-empty",
    why: "Most days have no entry, which is news of each day; every few days one has.",
    write(trace) {
      for (let day = 0; day < 60;) {
        const empty = trace.draw(1, 7);
        for (let count = 0; count < empty; count += 1, day += 1) {
          trace.call("entries_of_day", { day }, []);
        }
        trace.call("entries_of_day", { day }, [word(day)]);
        day += 1;
      }
    },
  },
  {
    name: "clicks-next",
    why: "The same click each time, and another page behind it.",
    write(trace) {
      const pages = trace.draw(50, 70);
      for (let page = 0; page < pages; page += 1) {
        trace.call("click", { selector: "a.next" }, `Page ${page}: ${word(page)}`);
      }
    },
  },
  {
    name: "searches-overlap",
    why: "Known sources come back, and every few searches a new one, which is opened.",
    write(trace) {
      for (let found = 3; found < 25; found += 1) {
        const idle = trace.draw(0, 2);
        for (let known = 0; known < idle; known += 1) {
          trace.call("search", { query: `${word(found)} or ${known}` }, [word(1), word(2)]);
        }
        trace.call("search", { query: word(found) }, [word(1), word(found)]);
        trace.call("open", { source: word(found) }, `Text of ${word(found)}`);
      }
    },
  },
  {
    name: "greps-until-found",
    why: "Several patterns match nothing; then one does, and it goes on from there.",
    write(trace) {
      for (let bug = 0; bug < 8; bug += 1) {
        const misses = trace.draw(2, 5);
        for (let miss = 0; miss < misses; miss += 1) {
          trace.call("grep", { pattern: `${word(bug)}.${miss}` }, "no matches");
        }
        trace.call("grep", { pattern: word(bug) }, `src/${word(bug)}.ts:12`);
        trace.call("read_file", { path: `src/${word(bug)}.ts` }, `export const ${word(bug)};`);
      }
    },
  },
  {
    name: "looks-elsewhere",
    why: "A thing is searched for in other words and other folders, up to sixteen times in a row, until it is found.",
    write(trace) {
      for (let thing = 0; thing < 6; thing += 1) {
        const folders = trace.draw(4, 8);
        for (let folder = 0; folder < folders; folder += 1) {
          const path = `${word(thing)}/${word(folder)}`;
          trace.call("grep", { pattern: `${word(thing)}.${folder}`, path }, "no matches");
          trace.call("grep", { pattern: `${word(thing)}=${folder}`, path }, "no matches");
        }
        trace.call("grep", { pattern: word(thing), path: "src" }, `src/${word(thing)}.ts:12`);
        trace.call("read_file", { path: `src/${word(thing)}.ts` }, `export const ${word(thing)};`);
      }
    },
  },
  {
    name: "looks-twice",
    why: "Three files are read again once or twice before the answer, as careful readers do.",
    write(trace) {
      const rounds = trace.draw(2, 3);
      for (let round = 0; round < rounds; round += 1) {
        for (let file = 0; file < 3; file += 1) {
          trace.call("read_file", { path: `${word(file)}.md` }, `Text of ${word(file)}`);
        }
      }
      trace.say("The three agree.");
    },
  },
];

/** Waiting, and trying again until it works. */
const waiting: readonly Family[] = [
  {
    name: "polls-until-done",
    why: "A tool declared as polling is asked until the job is done.",
    polling: ["job_status"],
    write(trace) {
      const polls = trace.draw(60, 120);
      for (let poll = 0; poll < polls; poll += 1) {
        trace.call("job_status", { job: 7 }, { state: "running" });
      }
      trace.call("job_status", { job: 7 }, { state: "done" });
      trace.call("fetch_result", { job: 7 }, "42 rows");
    },
  },
  {
    name: "watches-two-queues",
    why: "Two queues are polled in turn; what comes in is handled.",
    polling: ["inbox", "outbox"],
    effects: ["handle"],
    write(trace) {
      for (let message = 0; message < 6; message += 1) {
        const quiet = trace.draw(4, 9);
        for (let look = 0; look < quiet; look += 1) {
          trace.call("inbox", {}, []);
          trace.call("outbox", {}, []);
        }
        trace.call("inbox", {}, [message]);
        trace.call("handle", { message });
      }
    },
  },
  {
    name: "uploads-with-retries",
    why: "A throttled upload fails up to four times, then it is through and the next one follows.",
    effects: ["upload"],
    write(trace) {
      for (let file = 0; file < 25; file += 1) {
        const failures = trace.draw(0, 4);
        for (let failure = 0; failure < failures; failure += 1) {
          trace.fail("upload", { file: word(file) }, "503 slow down");
        }
        trace.call("upload", { file: word(file) });
      }
    },
  },
  {
    name: "reads-with-retries",
    why: "A link that drops: the same read up to three times with errors of its own time, then it works.",
    write(trace) {
      for (let part = 0; part < 30; part += 1) {
        const failures = trace.draw(0, 3);
        for (let failure = 0; failure < failures; failure += 1) {
          trace.fail("read_part", { part }, `reset at ${part * 10 + failure}`);
        }
        trace.call("read_part", { part }, `bytes of ${part}`);
      }
    },
  },
  {
    name: "rolls-over-nodes",
    why: "The same four calls for each node, with a poll in their middle.",
    polling: ["is_drained"],
    effects: ["drain", "upgrade", "uncordon"],
    write(trace) {
      for (let node = 0; node < 12; node += 1) {
        trace.call("drain", { node });
        const polls = trace.draw(1, 6);
        for (let poll = 0; poll < polls; poll += 1) trace.call("is_drained", { node }, "no");
        trace.call("is_drained", { node }, "yes");
        trace.call("upgrade", { node });
        trace.call("uncordon", { node });
      }
    },
  },
];

/** Changing things. */
const changing: readonly Family[] = [
  {
    name: "edits-and-tests",
    why: "Each edit is another one; the tests stand still now and then, and are green in the end.",
    effects: ["edit"],
    write(trace) {
      let failing = 14;
      for (let edit = 0; failing > 0; edit += 1) {
        trace.call("edit", { file: word(edit % 5), change: edit });
        const still = trace.draw(0, 2);
        for (let more = 0; more < still; more += 1) {
          trace.call("run_tests", {}, `${failing} failing`);
          trace.call("edit", { file: word(edit % 5), change: `${edit}.${more}` });
        }
        failing -= 1;
        trace.call("run_tests", {}, `${failing} failing`);
      }
    },
  },
  {
    name: "rereads-after-edits",
    why: "One file is read again after each change of it, and reads differently each time.",
    effects: ["edit"],
    write(trace) {
      const edits = trace.draw(26, 34);
      for (let edit = 0; edit < edits; edit += 1) {
        trace.call("read_file", { path: "main.ts" }, `version ${edit}`);
        trace.call("edit", { path: "main.ts", change: edit });
      }
    },
  },
  {
    name: "writes-many-records",
    why: "Sixty records one after the other; the tool says ok to each.",
    effects: ["insert"],
    write(trace) {
      const records = trace.draw(55, 80);
      for (let record = 0; record < records; record += 1) {
        trace.call("insert", { record: word(record) });
      }
    },
  },
  {
    name: "fetches-and-saves",
    why: "Two tools in turn, with another item in each round.",
    effects: ["save"],
    write(trace) {
      const items = trace.draw(27, 40);
      for (let item = 0; item < items; item += 1) {
        trace.call("fetch", { id: item }, { id: item, name: word(item) });
        trace.call("save", { id: item });
      }
    },
  },
  {
    name: "says-the-same-between-work",
    why: "The same words between the steps, and another step each time.",
    effects: ["annotate"],
    write(trace) {
      const steps = trace.draw(28, 36);
      for (let step = 0; step < steps; step += 1) {
        trace.say("Continuing.");
        trace.call("annotate", { function: word(step) });
      }
      trace.say("Done.");
    },
  },
  {
    name: "balances",
    why: "Left and right in turn are how a pole is balanced; its state differs each time.",
    write(trace) {
      const moves = trace.draw(60, 80);
      for (let move = 0; move < moves; move += 1) {
        const angle = trace.draw(-900, 900) + move * 2000;
        trace.call("push", { to: move % 2 === 0 ? "left" : "right" }, { move, angle });
      }
    },
  },
  {
    name: "lists-after-each-write",
    why: "The folder is listed after each file that was added to it.",
    effects: ["write_file"],
    write(trace) {
      const files: string[] = [];
      const count = trace.draw(25, 32);
      for (let file = 0; file < count; file += 1) {
        files.push(word(file));
        trace.call("write_file", { path: word(file), text: word(file * 7) });
        trace.call("list_files", { path: "." }, [...files]);
      }
    },
  },
];

/** Many questions, few possible answers: such a tool says `polling: true`. */
const answeringYes: readonly Family[] = [
  {
    name: "checks-that-files-exist",
    why: "Sixty different files are checked; all are there.",
    polling: ["exists"],
    write(trace) {
      const files = trace.draw(55, 70);
      for (let file = 0; file < files; file += 1) trace.call("exists", { path: word(file) }, true);
      trace.say("Nothing is missing.");
    },
  },
];

export const goodFamilies: readonly Family[] = [
  ...reading,
  ...waiting,
  ...changing,
  ...answeringYes,
];
