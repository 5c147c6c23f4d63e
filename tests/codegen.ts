import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine, copyProject, startTestDeployment } from "./convex/deployment.ts";

/** `npm run codegen`: writes `convex/_generated` with the official command line, against an embedded deployment. */
const folder = fileURLToPath(new URL("../convex/_generated", import.meta.url));
const project = await copyProject();
const deployment = await startTestDeployment();
try {
  await rm(join(project, "convex/_generated"), { recursive: true });
  await commandLine(project, deployment.url, ["codegen"]);
  await cp(join(project, "convex/_generated"), folder, { recursive: true });
} finally {
  await deployment.close();
  await rm(project, { recursive: true });
}
