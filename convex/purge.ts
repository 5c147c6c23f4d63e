// Stored jobs use these paths (docs/decisions/147-jobs.md).
export { design, expire, image, owner, project, resume, trash } from "./jobs/purge";
