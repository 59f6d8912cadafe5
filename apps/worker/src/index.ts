export {
  startWorkerProcess,
  type WorkerProcess,
  type WorkerProcessOptions,
} from "./start-worker-process.ts";
