const itsOwnLoop = "it does not give its event loop back, and here that is the test's own";
const itsOwnProcess = "it ends the process it runs in, and here that is the test's own";
const realProcesses = "what it leaves behind is a process";
const channel = "it writes past its context, on the channel of its process";

/** Scenarios that cannot be played in the worker's own loop, each with the reason. Real rounds play them all. */
export const needsAProcess: Readonly<Record<string, string>> = {
  "beats-for-another": channel,
  spins: itsOwnLoop,
  "spins-on-microtasks": itsOwnLoop,
  "blocks-in-native-code": itsOwnLoop,
  "ignores-sigterm": "what it ignores is a signal to its process",
  grandchild: realProcesses,
  "escaped-grandchild": realProcesses,
  "grandchild-left-behind": realProcesses,
  "memory-hog": "only the memory of a process of its own can be bounded",
  exits: itsOwnProcess,
  aborts: itsOwnProcess,
  "unhandled-rejection": itsOwnProcess,
  "floods-stdout": "its output is that of its process",
  "answers-twice": channel,
  "speaks-no-protocol": channel,
  thief: "the environment it reads is that of its process",
};
