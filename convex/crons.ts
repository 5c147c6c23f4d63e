import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("drop stored files without a row", { hours: 1 }, internal.sweep.run, {});
crons.interval("take up unfinished removals", { hours: 1 }, internal.purge.resume);

export default crons;
