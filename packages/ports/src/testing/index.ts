export type { MemoryState, RunRecord, TaskRecord } from "./memory-state.ts";
export { createMemoryQueue, type MemoryQueueOptions } from "./memory-queue.ts";
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from "./memory-store.ts";
