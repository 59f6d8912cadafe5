import { existsSync, readFileSync } from "node:fs";

// Prints what the suites did as one closing line, with what broke by name above it: the log of a failed run is long, and
// often only its end is at hand. A suite without a report, a file that broke outside its tests, and a failed step that
// neither explains, count as a failure: a run that broke before its tests must not look green.
const [failedSteps, ...reports] = process.argv.slice(2);
const broken = [];
let passed = 0;
let skipped = 0;
for (const report of reports) {
  if (!existsSync(report)) {
    broken.push(`no report of the suite: ${report}`);
    continue;
  }
  const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
  passed += numPassedTests;
  skipped += numPendingTests;
  broken.push(...testResults.flatMap(failuresOf));
}
if (broken.length === 0) {
  broken.push(...Array.from({ length: Number(failedSteps) }, () => "a step named above"));
}
for (const failure of broken) console.log(`failed: ${failure}`);
console.log(skipped === 0 ? "" : `${skipped} skipped`);
console.log(`${passed} passed, ${broken.length} failed`);
process.exit(broken.length === 0 ? 0 : 1);

function failuresOf({ name, status, message, assertionResults }) {
  const tests = assertionResults.filter((test) => test.status === "failed");
  if (tests.length > 0) {
    return tests.map(({ fullName, failureMessages }) => {
      return `${name} > ${fullName}\n${(failureMessages[0] ?? "").slice(0, 2000)}`;
    });
  }
  return status === "failed" ? [`${name}, outside its tests: ${message.slice(0, 2000)}`] : [];
}
