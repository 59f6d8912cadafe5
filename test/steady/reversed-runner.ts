import type { RunnerTask, RunnerTestFile } from "vitest";
import { VitestTestRunner } from "vitest/runners";

/** Runs the tests of each file from the last to the first. A default export because vitest loads it as its runner. */
export default class ReversedRunner extends VitestTestRunner {
  onBeforeRunFiles(files: RunnerTestFile[]): void {
    for (const file of files) reverse(file);
  }
}

function reverse(task: RunnerTask): void {
  if (!("tasks" in task)) return;
  task.tasks.reverse();
  for (const inner of task.tasks) reverse(inner);
}
