// Stored jobs use these paths (docs/decisions/147-jobs.md).
export { design, project } from "./jobs/copies";
