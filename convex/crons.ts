import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("drop stored files without a row", { hours: 1 }, internal.jobs.hourly.run, { job: "sweep" });
crons.interval("delete what has been in the trash for 30 days", { hours: 1 }, internal.jobs.hourly.run, { job: "expireTrash" });
crons.interval("forget which files were deleted", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepReleased" });
crons.interval("delete old revocations", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepRevocations" });
crons.interval("take up unfinished removals", { hours: 1 }, internal.jobs.hourly.run, { job: "resumeRemovals" });
crons.interval("take up unfinished transfers", { hours: 1 }, internal.jobs.hourly.run, { job: "resumeTransfers" });
// A job with a new name runs immediately after the deployment.
crons.interval("upgrade rows and favourites of an earlier build", { hours: 1 }, internal.jobs.hourly.run, { job: "upgrade" });
crons.interval("delete old notices, devices and mails", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepNotices" });
crons.interval("delete old deliveries of webhooks", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepWebhooks" });
crons.interval("delete images of comments that were not sent", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepCommentImages" });
crons.interval("take up unfinished sweeps of presence", { hours: 1 }, internal.jobs.hourly.run, { job: "resumePresence" });
crons.interval("drop sessions and verification values that are over", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepSessions" });
crons.interval("delete old events of the audit log", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepAuditLog" });

export default crons;
