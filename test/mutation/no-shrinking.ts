import { configureGlobal } from "fast-check";

/**
 * A mutant is dead at the first counterexample; making it smaller is for people. And what a property does not see in
 * forty tries (its own number counts, where it states one) it is not trusted to see.
 */
configureGlobal({ endOnFailure: true, numRuns: 40 });
