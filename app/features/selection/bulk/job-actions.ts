import { api } from "#convex/_generated/api";

export const JOB_ACTIONS = { cancel: api.bulk.cancel, resume: api.bulk.resume, dismiss: api.bulk.dismiss } as const;
export type JobAction = keyof typeof JOB_ACTIONS;
