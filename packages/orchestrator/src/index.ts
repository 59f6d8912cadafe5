export { Scheduler, type SchedulerOptions } from "./scheduler.ts";
export {
  checkSchedulerSettings,
  schedulerDefaults,
  type SchedulerSettings,
} from "./scheduler-settings.ts";
export { createSubmit, type Submit, type SubmitOptions, type SubmitRequest } from "./submit-run.ts";
