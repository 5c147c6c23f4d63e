/**
 * A running deployment with the fixture's code in force, for tests of what clients see.
 */
import { startDeployment, type Deployment } from "../src/deployment.ts";
import { ADMIN_KEY, convex, createIssuer, createProject, removeFolder, temporaryFolder, type Issuer, type Target } from "./harness.ts";

export type Deployed = { deployment: Deployment; issuer: Issuer; dataDir: string; project: string; end(): Promise<void> };

export async function deployFixture(name: string): Promise<Deployed> {
  const dataDir = temporaryFolder(name);
  const deployment = await startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY });
  const issuer = await createIssuer();
  const project = await pushFixture(deployment, issuer);
  return {
    deployment,
    issuer,
    dataDir,
    project,
    async end() {
      await deployment.close();
      removeFolder(dataDir);
      removeFolder(project);
    },
  };
}

/** Answers the project's folder. @throws {Error} with what the command line said */
export async function pushFixture(target: Target, issuer: Issuer): Promise<string> {
  const project = createProject();
  for (const args of [
    ["env", "set", "TEST_JWKS", issuer.jwks],
    ["dev", "--once", "--typecheck", "disable"],
  ]) {
    const result = await convex(project, target, args);
    if (result.code !== 0) throw new Error(`convex ${args.join(" ")} ended with ${result.code}:\n${result.stderr}`);
  }
  return project;
}
