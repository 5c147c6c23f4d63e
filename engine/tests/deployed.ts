import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundleSources, type ComponentSources } from "../src/functions/bundles/bundle-fixture.ts";
import type { Bundle } from "../src/functions/types.ts";
import { NO_SIMULATION, type Simulation } from "../src/simulation/options.ts";
import { startDeployment, type Deployment } from "../src/deployment.ts";
import { ADMIN_KEY, createIssuer, createProject, removeFolder, temporaryFolder, type Issuer, type Target } from "./harness.ts";

export type Deployed = { deployment: Deployment; issuer: Issuer; dataDir: string; project: string; end(): Promise<void> };

export async function deployFixture(name: string, simulation: Partial<Simulation> = {}): Promise<Deployed> {
  const dataDir = temporaryFolder(name);
  const deployment = await startDeployment({
    dataDir,
    port: 0,
    sitePort: 0,
    adminKey: ADMIN_KEY,
    simulation: { ...NO_SIMULATION, ...simulation },
  });
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

/** Sends the push requests of the official command line, which would take seconds. Returns a project folder for the command line. */
export async function pushFixture(target: Target, issuer: Issuer): Promise<string> {
  const project = createProject();
  await post(target, "update_environment_variables", { changes: [{ name: "TEST_JWKS", value: issuer.jwks }] });
  await pushProject(target, project);
  return project;
}

export async function pushProject(target: Target, project: string, components: ComponentSources = {}): Promise<void> {
  const folder = join(project, "convex");
  const names = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"));
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  await pushBundle(target, await bundleSources(files, components));
}

export async function pushBundle(target: Target, { modules, schema, authConfig, definition, components, nodeDependencies }: Bundle) {
  const changedModules = authConfig ? [...modules, authConfig] : modules;
  const startPush = await post(target, "deploy2/start_push", {
    appDefinition: { definition, schema, changedModules, unchangedModuleHashes: [] },
    componentDefinitions: components.map(({ path, modules: functions, ...component }) => ({
      definitionPath: path,
      functions,
      ...component,
    })),
    nodeDependencies,
  });
  const { schemaChange } = startPush;
  const checked = await post(target, "deploy2/wait_for_schema", { schemaChange });
  if (checked["type"] !== "complete") throw new Error(`The push failed: ${JSON.stringify(checked)}`);
  return { startPush, finishPush: await post(target, "deploy2/finish_push", { startPush }) };
}

async function post({ url, adminKey }: Target, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { Authorization: `Convex ${adminKey}` };
  const response = await fetch(`${url}/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer: Record<string, unknown> = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}
