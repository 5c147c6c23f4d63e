import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("delete stored files without a row", { hours: 1 }, internal.jobs.hourly.run, { job: "sweep" });
crons.interval("delete items that were in the trash for 30 days", { hours: 1 }, internal.jobs.hourly.run, { job: "expireTrash" });
crons.interval("delete old records of deleted files", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepReleased" });
crons.interval("delete old revocations", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepRevocations" });
crons.interval("resume unfinished removals", { hours: 1 }, internal.jobs.hourly.run, { job: "resumeRemovals" });
crons.interval("resume unfinished transfers", { hours: 1 }, internal.jobs.hourly.run, { job: "resumeTransfers" });
// A job with a new name runs immediately after the deployment.
crons.interval("upgrade rows and favourites of earlier builds", { hours: 1 }, internal.jobs.hourly.run, { job: "upgrade" });
crons.interval("delete old notices, devices and emails", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepNotices" });
crons.interval("delete old deliveries of webhooks", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepWebhooks" });
crons.interval("delete images of comments that were not sent", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepCommentImages" });
crons.interval("resume unfinished sweeps of presence", { hours: 1 }, internal.jobs.hourly.run, { job: "resumePresence" });
crons.interval("delete expired sessions and verification values", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepSessions" });
crons.interval("delete old events of the audit log", { hours: 1 }, internal.jobs.hourly.run, { job: "sweepAuditLog" });

export default crons;
