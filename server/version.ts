import { readFileSync } from "node:fs";
import * as z from "zod";

/** The version of `package.json` (SemVer), as at /healthz, in the log and in git tags. */
export const VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))).version;
