import { v } from "convex/values";
import { internal } from "../_generated/api";
import { internalMutation } from "../model/functions";
import { isReadOnly } from "../model/readOnly";

const JOBS = {
  sweep: internal.jobs.sweep.run,
  expireTrash: internal.jobs.purge.expire,
  sweepReleased: internal.jobs.sweepReleased.sweep,
  sweepRevocations: internal.jobs.revocations.sweep,
  resumeRemovals: internal.jobs.purge.resume,
  resumeTransfers: internal.jobs.transfers.resume,
  upgrade: internal.jobs.upgrade.run,
  sweepNotices: internal.accounts.notices.sweep,
  sweepWebhooks: internal.jobs.webhooks.sweep,
  sweepCommentImages: internal.jobs.comments.sweepImages,
  resumePresence: internal.jobs.presence.resume,
  sweepSessions: internal.accounts.expiry.sweep,
  sweepAuditLog: internal.jobs.auditLog.sweep,
} as const;

type Job = keyof typeof JOBS;
const isJob = (name: string): name is Job => Object.hasOwn(JOBS, name);

/** Starts an hourly job. Skips it during a move, because its changes would make the copy differ from the source. */
export const run = internalMutation({
  args: { job: v.string() },
  returns: v.null(),
  handler: async ({ scheduler }, { job }) => {
    if (isJob(job) && !isReadOnly()) await scheduler.runAfter(0, JOBS[job], {});
    return null;
  },
});
