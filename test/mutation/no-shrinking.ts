import { configureGlobal } from "fast-check";

// A mutant is dead at the first counterexample; making it smaller is for people.
configureGlobal({ endOnFailure: true });
