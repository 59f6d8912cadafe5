/** For tests of what counts or estimates tokens, here and in packages above. */
export { tokenCorpus } from "./token-corpus.ts";
export type { CorpusText } from "./token-corpus.ts";
