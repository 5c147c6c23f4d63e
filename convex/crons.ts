import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("drop stored files without a row", { hours: 1 }, internal.jobs.sweep.run, {});
crons.interval("delete what has been in the trash for 30 days", { hours: 1 }, internal.jobs.purge.expire, {});
crons.interval("forget which files were deleted", { hours: 1 }, internal.jobs.sweepReleased.sweep, {});
crons.interval("take up unfinished removals", { hours: 1 }, internal.jobs.purge.resume);
crons.interval("take up unfinished transfers", { hours: 1 }, internal.jobs.transfers.resume);
// A job with a new name runs immediately after the deployment.
crons.interval("upgrade rows and favourites of an earlier build", { hours: 1 }, internal.jobs.upgrade.run, {});
crons.interval("delete old notices, devices and mails", { hours: 1 }, internal.accounts.notices.sweep, {});
crons.interval("delete old deliveries of webhooks", { hours: 1 }, internal.jobs.webhooks.sweep, {});
crons.interval("delete images of comments that were not sent", { hours: 1 }, internal.jobs.comments.sweepImages, {});
crons.interval("take up unfinished sweeps of presence", { hours: 1 }, internal.jobs.presence.resume, {});
crons.interval("drop sessions and verification values that are over", { hours: 1 }, internal.accounts.expiry.sweep, {});
crons.interval("delete old events of the audit log", { hours: 1 }, internal.jobs.auditLog.sweep, {});

export default crons;
