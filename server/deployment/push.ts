import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { StartError } from "./embedded.ts";
import type { Log } from "../logging/log.ts";
import { VERSION } from "../version.ts";

export class DeploymentRefusal extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

export type Target = { url: string; adminKey: string };

const moduleSchema = z.looseObject({ path: z.string(), source: z.string(), sourceMap: z.string().optional() });

/** The body of the official CLI's `deploy2/start_push`, recorded by `npm run build`. */
const artifactSchema = z.looseObject({ appDefinition: z.looseObject({ changedModules: z.array(moduleSchema) }) });

export type Artifact = z.infer<typeof artifactSchema>;
export const ARTIFACT = "convex/push.json";

export const readArtifact = (text: string): Artifact => artifactSchema.parse(JSON.parse(text));

export type Pushed = { artifact: string; environment: string; version: string };

const pushedSchema = z.object({ artifact: z.string(), environment: z.string(), version: z.string() });
const PUSHED = "pushed";

/** Returns null without a push, and for a push by a version that stored only a hash. */
export async function readPushed(dataDir: string): Promise<Pushed | null> {
  const text = await readFile(join(dataDir, PUSHED), "utf8").catch(() => "");
  return text.startsWith("{") ? (pushedSchema.safeParse(JSON.parse(text)).data ?? null) : null;
}

export const removePushRecord = (dataDir: string): Promise<void> => rm(join(dataDir, PUSHED), { force: true });

export const artifactDigest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Pushes code and environment unless the deployment already has them. Throws if the schema does not fit the data. */
export async function pushIfChanged(
  target: Target,
  artifactText: string,
  environment: Record<string, string>,
  dataDir: string,
  log: Log,
): Promise<void> {
  const artifact = readArtifact(artifactText);
  const pushed = { artifact: artifactDigest(artifactText), environment: artifactDigest(JSON.stringify(environment)), version: VERSION };
  const last = await readPushed(dataDir);
  const isPushed = last?.artifact === pushed.artifact && last.environment === pushed.environment;
  if (!isPushed || !(await hasCode(target, artifact)) || !(await hasEnvironment(target, environment))) {
    await setEnvironment(target, environment);
    await push(target, artifact);
    log.info("the deployment has this build's functions");
  } else if (last.version === VERSION) return;
  const note = join(dataDir, PUSHED);
  await writeFile(`${note}.new`, JSON.stringify(pushed), { flush: true });
  await rename(`${note}.new`, note);
}

export async function setEnvironment(target: Target, environment: Record<string, string | null>): Promise<void> {
  await callDeployment(target, "/api/update_environment_variables", {
    changes: Object.entries(environment).map(([name, value]) => ({ name, value })),
  });
}

export async function queryEnvironment(target: Target): Promise<Record<string, string>> {
  const { value } = environmentSchema.parse(
    await callDeployment(target, "/api/query", { path: "_system/cli/queryEnvironmentVariables", args: {}, format: "json" }),
  );
  return Object.fromEntries(value.map((variable) => [variable.name, variable.value]));
}

const environmentSchema = z.object({
  status: z.literal("success"),
  value: z.array(z.object({ name: z.string(), value: z.string() })),
});

export async function push(target: Target, artifact: Artifact): Promise<void> {
  const { adminKey } = target;
  const started = startedSchema.parse(await callDeployment(target, "/api/deploy2/start_push", { ...artifact, adminKey, dryRun: false }));
  for (;;) {
    const wait = { adminKey, schemaChange: started.schemaChange, timeoutMs: 10_000, dryRun: false };
    const status = statusSchema.parse(await callDeployment(target, "/api/deploy2/wait_for_schema", wait));
    if (status.type === "complete") break;
    if (status.type === "failed") throw new Error(`The stored data does not match the schema: ${status.error}`);
    if (status.type === "raceDetected") throw new Error("Another push ran at the same time.");
  }
  await callDeployment(target, "/api/deploy2/finish_push", { adminKey, startPush: started, dryRun: false, message: null });
}

const startedSchema = z.looseObject({ schemaChange: z.unknown() });
const statusSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("complete") }),
  z.looseObject({ type: z.literal("inProgress") }),
  z.looseObject({ type: z.literal("raceDetected") }),
  z.looseObject({ type: z.literal("failed"), error: z.string() }),
]);

const hashesSchema = z.looseObject({ moduleHashes: z.array(z.looseObject({ path: z.string(), hash: z.string() })) });

/** Compares the stored variables, because the database may have been replaced since the recorded push. */
async function hasEnvironment(target: Target, environment: Record<string, string>): Promise<boolean> {
  const stored = await queryEnvironment(target);
  return Object.entries(environment).every(([name, value]) => stored[name] === value);
}

/** Compares the stored code, because another tool may have pushed since (`npm run dev`, `convex deploy`). */
export async function hasCode(target: Target, artifact: Artifact): Promise<boolean> {
  const { moduleHashes } = hashesSchema.parse(
    await callDeployment(target, "/api/get_config_hashes", { version: "1.48.0", adminKey: target.adminKey }),
  );
  const hashes = new Map(moduleHashes.map(({ path, hash }) => [path, hash]));
  const { changedModules } = artifact.appDefinition;
  return hashes.size === changedModules.length && changedModules.every((module) => hashes.get(module.path) === moduleHash(module));
}

const moduleHash = ({ source, sourceMap = "" }: z.infer<typeof moduleSchema>) =>
  createHash("sha256").update(source).update(sourceMap).digest("hex");

/** Calls an endpoint of the official CLI. `missing` is the answer of a deployment that does not have it. */
export async function callDeployment(target: Target, path: string, body: unknown, fallback?: { missing: unknown }): Promise<unknown> {
  const headers = { "Content-Type": "application/json" };
  const response = await send(target, path, { method: "POST", headers, body: JSON.stringify(body) });
  if (fallback && response.status === 404) return fallback.missing;
  await expectSuccess(response, path);
  const text = await response.text();
  return text === "" ? null : JSON.parse(text);
}

/** Sends a request with the admin key. Returns a successful response with its unread body. */
export async function requestDeployment(target: Target, path: string, request: DeploymentRequest): Promise<Response> {
  const response = await send(target, path, request);
  await expectSuccess(response, path);
  return response;
}

type DeploymentRequest = { method: "GET" | "POST"; headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> };

function send({ url, adminKey }: Target, path: string, { headers, ...request }: DeploymentRequest): Promise<Response> {
  return fetch(url + path, {
    ...request,
    headers: { ...headers, Authorization: `Convex ${adminKey}`, "Convex-Client": "npm-cli-1.48.0" },
  }).catch((cause: unknown) => {
    throw new Error(`The deployment at ${url} does not respond.`, { cause });
  });
}

async function expectSuccess(response: Response, path: string): Promise<void> {
  if (response.ok) return;
  const text = await response.text();
  if (text.includes('"DataDamaged"'))
    throw new StartError("The data in DATA_DIR is damaged, so nothing is written. Run 'npm run check-data', and see docs/operation.md.");
  throw new DeploymentRefusal(`The deployment refused ${path.split("?")[0]} (${response.status}): ${text.slice(0, 2000)}`, response.status);
}
