// Stored jobs use these paths (docs/decisions/147-jobs.md).
export { mergeTags, rows, run } from "./jobs/upgrade";
