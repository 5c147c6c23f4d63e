import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { type FunctionReference, type FunctionVisibility, getFunctionName } from "convex/server";
import { ConvexError, convexToJson, jsonToConvex, type Value } from "convex/values";
import * as z from "zod";
import type { Id } from "../../convex/_generated/dataModel";
import type { Backend, Caller } from "./backends.ts";
import { startTestDeployment, type TestDeployment } from "./deployment.ts";
import { probe } from "./probe-references.ts";

export async function embeddedBackend(): Promise<Backend> {
  return embeddedOn(await startTestDeployment());
}

/** Its pending calls and `probe.scheduledCalls` read this many ended calls at most. */
const CALLS_MAX = 500;
const idle: TestDeployment[] = [];

/** Returns an empty deployment, that of an earlier file of this process if possible, as a start takes 1.5 s of CPU time. */
export async function reusedBackend(): Promise<Backend> {
  const deployment = idle.pop() ?? (await startTestDeployment());
  const backend = embeddedOn(deployment);
  let isKilled = false;
  return {
    ...backend,
    crash() {
      isKilled = true;
      return deployment.crash();
    },
    async close() {
      if (isKilled || !(await clear(backend))) return deployment.close();
      if (idle.length === 0) process.once("SIGTERM", killIdle);
      idle.push(deployment);
    },
  };
}

/** Deletes rows, files and pending calls. Returns false after many calls, which stay stored. */
async function clear({ inside }: Backend): Promise<boolean> {
  // Node alone, as in bench/, cannot resolve the schema's imports.
  const { default: schema } = await import("../../convex/schema");
  const tables = Object.keys(schema.tables);
  for (;;) {
    const { calls, waiting, deleted } = await inside.mutation(probe.clear, { tables, callsMax: CALLS_MAX });
    if (calls === CALLS_MAX) return false;
    if (waiting + deleted === 0) return true;
    if (deleted === 0) await sleep(10);
  }
}

/** Vitest ends its processes by this signal. `temporary-folder.ts` removes the data. */
function killIdle(): void {
  for (const deployment of idle) {
    const pid = deployment.pid();
    if (pid !== null) process.kill(pid, "SIGKILL");
  }
  // Vitest's process.exit() only throws, and the deployments would be restarted.
  process.kill(process.pid, "SIGKILL");
}

export function embeddedOn(deployment: TestDeployment): Backend {
  const inside = administrator(deployment);
  return {
    inside,
    nobody: client(deployment),
    holder: async ({ issuer, subject, audience, ...claims }) =>
      client(deployment, await deployment.token({ sub: subject, aud: audience, ...(issuer && { iss: issuer }), ...claims })),
    async store(bytes, contentType = "image/png") {
      const url = await inside.mutation(probe.uploadUrl, {});
      const response = await fetch(url, { method: "POST", headers: { "Content-Type": contentType }, body: bytes });
      return stored.parse(await response.json()).storageId as Id<"_storage">;
    },
    async settle() {
      while ((await inside.query(probe.pending, {})) > 0) await sleep(10);
    },
    crash: () => deployment.crash(),
    close: () => deployment.close(),
  };
}

const stored = z.object({ storageId: z.string() });

function client({ url }: TestDeployment, token?: string): Caller {
  const http = new ConvexHttpClient(url, { skipConvexDeploymentUrlCheck: true, logger: false, ...(token && { auth: token }) });
  const query = (reference: FunctionReference<"query">, args: object) => http.query(reference, args);
  const mutation = (reference: FunctionReference<"mutation">, args: object) => http.mutation(reference, args, { skipQueue: true });
  return { query, mutation };
}

function administrator({ url, adminKey }: TestDeployment): Caller<FunctionVisibility> {
  async function call(reference: FunctionReference<"query" | "mutation", FunctionVisibility>, args: Record<string, Value>) {
    const response = await fetch(`${url}/api/function`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Convex ${adminKey}` },
      body: JSON.stringify({ path: getFunctionName(reference), args: convexToJson(args), format: "convex_encoded_json" }),
    });
    const answer = answered.parse(await response.json());
    if (answer.status === "success") return jsonToConvex(answer.value);
    throw answer.errorData === undefined ? new Error(answer.errorMessage) : new ConvexError(jsonToConvex(answer.errorData));
  }
  return { query: call, mutation: call };
}

const answered = z.discriminatedUnion("status", [
  z.object({ status: z.literal("success"), value: z.json() }),
  z.object({ status: z.literal("error"), errorMessage: z.string(), errorData: z.json().optional() }),
]);
