export { exitCodeOfError, exitCodeOfRun, exitCodes } from "./exit-code.ts";
export type { Io } from "./io.ts";
export { runProgram } from "./program.ts";
