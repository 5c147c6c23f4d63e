// Stored jobs use these paths (docs/decisions/147-jobs.md).
export { run } from "./jobs/sweep";
