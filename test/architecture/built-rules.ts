/**
 * Rules of the design that this release keeps, by the id under which the design states them. Each stands in the title of a test that
 * goes red when the rule breaks: `[BR-2]`.
 */
export const builtRules: readonly string[] = [
  ...ids("S", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
  ...ids("X", [1, 2, 3, 4, 5]),
  ...ids("F", [1, 2, 3, 4, 5, 6]),
  ...ids("WD-", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]),
  ...ids("BR-", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
  ...ids("BU-", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]),
  ...ids("GC-", [1, 2, 3, 4, 5, 6]),
  "BB-1",
  "GV-1",
  "R1",
  ...ids("W", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  ...ids("B", [1, 2, 3, 4, 5, 6, 8, 9, 10]),
  ...ids("G", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
  ...ids("D", [1, 2, 3, 4, 5]),
  ...ids("E", [1, 2, 3, 4]),
  "LF-5",
  "LF-8",
  "LF-12",
];

function ids(prefix: string, numbers: readonly number[]): readonly string[] {
  return numbers.map((number) => `${prefix}${number}`);
}
