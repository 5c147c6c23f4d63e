export * from "../../../../convex/jobs/countUsage";
