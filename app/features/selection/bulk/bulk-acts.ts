import { api } from "#convex/_generated/api";

export const BULK_ACTS = { cancel: api.bulk.cancel, resume: api.bulk.resume, dismiss: api.bulk.dismiss } as const;
export type BulkAct = keyof typeof BULK_ACTS;
