import { configureGlobal } from "fast-check";

/** A fixed seed, so that results depend on the commit only. `SEED=random` tries others; a failure prints its seed. */
const chosen = process.env["SEED"] ?? "20261121";
if (chosen !== "random") configureGlobal({ seed: Number(chosen) });
