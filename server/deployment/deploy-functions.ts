import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Target } from "./push.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CONVEX_CLI = fileURLToPath(new URL("../../node_modules/convex/bin/main.js", import.meta.url));

/** Deploys convex/ with the Convex CLI. Passes the deploy key in the environment, because every local user can read a command line. */
export async function deployFunctions({ url, adminKey }: Target, flags: string[]): Promise<void> {
  const args = ["deploy", "--typecheck", "disable", "--codegen", "disable"];
  const child = spawn(process.execPath, [CONVEX_CLI, ...args, ...flags], {
    cwd: ROOT,
    env: {
      ...process.env,
      CI: "1",
      CONVEX_SELF_HOSTED_URL: url,
      CONVEX_SELF_HOSTED_ADMIN_KEY: adminKey,
      // The CLI prefers these, also from `.env`; empty values count as not set.
      CONVEX_DEPLOY_KEY: "",
      CONVEX_DEPLOYMENT: "",
      CONVEX_DEPLOYMENT_TOKEN: "",
    },
    stdio: ["inherit", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code === 0) return;
  throw new Error(
    "convex/ was not deployed: the output of the Convex CLI above shows the reason. The deployment still runs its previous functions. " +
      "If the CLI stopped at an index on a large table, run 'npm run setup:convex' in a terminal, " +
      "or with '-- --skip-large-indexes-check'; it then waits until the index is built.",
  );
}
