import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("drop stored files without a row", { hours: 1 }, internal.sweep.run, {});
crons.interval("delete what has been in the trash for 30 days", { hours: 1 }, internal.purge.expire, {});
crons.interval("forget which files were deleted", { hours: 1 }, internal.released.sweep, {});
crons.interval("take up unfinished removals", { hours: 1 }, internal.purge.resume);
// A new name has it run at once when it comes, not within the hour.
crons.interval("have the search know rows of an earlier build", { hours: 1 }, internal.upgrade.run, {});
crons.interval("delete old notices, devices and mails", { hours: 1 }, internal.accounts.notices.sweep, {});
crons.interval("drop sessions and verification values that are over", { hours: 1 }, internal.accounts.expiry.sweep, {});

export default crons;
