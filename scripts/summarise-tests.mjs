import { existsSync, readFileSync } from "node:fs";

// Prints what the suites did as one closing line. A suite without a report, and a failed step that no test explains,
// count as a failure: a run that broke before its tests must not look green.
const [failedSteps, ...reports] = process.argv.slice(2);
let passed = 0;
let failed = 0;
let skipped = 0;
for (const report of reports) {
  if (!existsSync(report)) {
    failed += 1;
    continue;
  }
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  passed += numPassedTests;
  failed +=
    numFailedTests +
    testResults.filter(
      ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
    ).length;
  skipped += numPendingTests;
}
if (failed === 0) failed = Number(failedSteps);
console.log(skipped === 0 ? "" : `${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
