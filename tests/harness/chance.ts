import { configureGlobal } from "fast-check";

/**
 * Tests of properties try the same examples in each run: what a run finds is of its commit, not of chance. With `SEED=random` they try others, to look
 * for what nobody has thought of; a failure tells its seed.
 */
const chosen = process.env["SEED"] ?? "20261121";
if (chosen !== "random") configureGlobal({ seed: Number(chosen) });
