import { appendFileSync } from "node:fs";

// Preloaded into each Node process (`NODE_OPTIONS=--import`): records its command line, which every local user can read.
const file = process.env["RECORD_ARGUMENTS"];
if (file) appendFileSync(file, `${process.argv.join(" ")}\n`);
