import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { pushBundle } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY } from "@atelier/engine/testing/harness";
import { expect, test } from "../../harness/test.ts";

const MAIN = fileURLToPath(new URL("../../../build/processes/deployment-process.js", import.meta.url));
const ACTION = `export const run = Object.assign(() => undefined, {
  isAction: true,
  isPublic: true,
  exportArgs: () => '{"type":"any"}',
  exportReturns: () => "null",
  invokeAction: async () => JSON.stringify(typeof process.version),
});`;
const APP: Parameters<typeof pushBundle>[1] = {
  modules: [
    { path: "node.js", source: ACTION, environment: "node" },
    { path: "plain.js", source: ACTION, environment: "isolate" },
  ],
  schema: null,
  authConfig: null,
  definition: null,
  components: [],
  nodeDependencies: [],
  nodeVersion: null,
};
const INLINE = `
  import { query } from "convex:/_system/repl/wrappers.js";
  export default query({ handler: async () => 1 });`;

test("the bundled deployment runs actions with and without Node, and inline queries", { tag: "@bundled-deployment" }, async () => {
  const dir = await mkdtemp(join(tmpdir(), "atelier-bundled-"));
  const args = [MAIN, "--data", dir, "--port", "0", "--site-port", "0", "--admin-key", ADMIN_KEY];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const exited = once(child, "exit");
  try {
    const [{ url }] = (await once(child, "message")) as [{ url: string }];
    await pushBundle({ url, adminKey: ADMIN_KEY }, APP);
    const client = new ConvexHttpClient(url, { logger: false });
    expect(await client.action(anyApi.node!.run!, {})).toBe("string");
    expect(await client.action(anyApi.plain!.run!, {})).toBe("undefined");
    const body = JSON.stringify({
      adminKey: ADMIN_KEY,
      args: {},
      bundle: { path: "testQuery.js", source: INLINE },
      format: "convex_encoded_json",
    });
    const headers = { Authorization: `Convex ${ADMIN_KEY}`, "Content-Type": "application/json" };
    const answer = await fetch(`${url}/api/run_test_function`, { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ status: "success", value: 1 });
  } finally {
    child.kill("SIGTERM");
    await exited;
    await rm(dir, { recursive: true, force: true });
  }
});
