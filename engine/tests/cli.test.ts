import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDeployment, type Deployment } from "../src/deployment.ts";
import { ADMIN_KEY, convex, createProject, reached, removeFolder, startConvex, temporaryFolder, createIssuer } from "./harness.ts";

let dataDir: string;
let project: string;
let deployment: Deployment;
const run = (args: string[], options?: Parameters<typeof convex>[3]) => convex(project, deployment, args, options);

beforeAll(async () => {
  dataDir = temporaryFolder("cli");
  project = createProject();
  deployment = await startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY });
});
afterAll(async () => {
  await deployment.close();
  removeFolder(dataDir);
  removeFolder(project);
});

describe("the official command line", { tags: "slow", timeout: 60_000 }, () => {
  it("names the environment variable that the auth configuration lacks", async () => {
    const result = await run(["dev", "--once", "--typecheck", "disable"]);
    expect(result.stderr).toContain("TEST_JWKS");
    expect(result.code).not.toBe(0);
  });

  it("sets, gets, lists and removes environment variables", async () => {
    const { jwks } = await createIssuer();
    expect(await run(["env", "set", "TEST_JWKS", jwks])).toMatchObject({ code: 0 });
    expect(await run(["env", "set", "OTHER", "a b"])).toMatchObject({ code: 0 });
    expect((await run(["env", "get", "OTHER"])).stdout.trim()).toBe("a b");
    expect((await run(["env", "list", "--names-only"])).stdout.trim().split("\n").toSorted()).toEqual(["OTHER", "TEST_JWKS"]);
    expect(await run(["env", "remove", "OTHER"])).toMatchObject({ code: 0 });
    expect((await run(["env", "list", "--names-only"])).stdout.trim()).toBe("TEST_JWKS");
    writeFileSync(join(project, "variables"), 'ONE=1\nTWO="two words"\n');
    expect(await run(["env", "set", "--from-file", "variables"])).toMatchObject({ code: 0 });
    expect((await run(["env", "list"])).stdout).toMatch(/^ONE=1\nTEST_JWKS=.*\nTWO=two words$/m);
    expect((await run(["env", "set", "not a name", "x"])).stderr).toContain("EnvironmentVariableNameInvalid");
  });

  it("pushes with `dev --once` and writes the generated code", async () => {
    const result = await run(["dev", "--once", "--typecheck", "disable"]);
    expect(result).toMatchObject({ code: 0 });
    expect(result.stderr).toContain("Convex functions ready");
    expect(result.stderr).toContain("messages.by_channel");
    expect(readFileSync(join(project, "convex/_generated/api.d.ts"), "utf8")).toContain("messages");
  });

  it("generates code without changing the deployment", async () => {
    const before = readFileSync(join(project, "convex/_generated/dataModel.d.ts"), "utf8");
    expect(await run(["codegen", "--typecheck", "disable"])).toMatchObject({ code: 0 });
    expect(readFileSync(join(project, "convex/_generated/dataModel.d.ts"), "utf8")).toBe(before);
  });

  it("runs functions, public and internal, also as a user", async () => {
    expect(await run(["run", "messages:send", '{"channel":"cli","body":"hello"}'])).toMatchObject({ code: 0 });
    expect(JSON.parse((await run(["run", "messages:list", '{"channel":"cli"}'])).stdout)).toEqual([{ author: null, body: "hello" }]);
    expect(await run(["run", "messages:remember", '{"body":"inside"}'])).toMatchObject({ code: 0 });
    expect(JSON.parse((await run(["run", "messages:relay", '{"body":"x"}'])).stdout)).toBe("relayed x");
    const acting = await run([
      "run",
      "messages:whoAmI",
      "{}",
      "--identity",
      '{"subject":"ada","issuer":"https://issuer.test","email":"a@b"}',
    ]);
    expect(JSON.parse(acting.stdout)).toMatchObject({ subject: "ada", email: "a@b", tokenIdentifier: "https://issuer.test|ada" });
  });

  it("distinguishes missing functions from existing ones", async () => {
    const result = await run(["run", "messages:nothing"]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("Could not find function");
    expect(result.stderr).toContain("messages:send");
  });

  it("lists tables and their documents", async () => {
    expect((await run(["data"])).stdout.trim().split("\n")).toEqual(expect.arrayContaining(["counters", "files", "messages"]));
    expect((await run(["data", "messages"])).stdout).toContain("hello");
    expect(
      (await run(["data", "messages", "--limit", "1", "--order", "asc", "--format", "jsonLines"])).stdout.trim().split("\n"),
    ).toHaveLength(1);
  });

  it("prints the functions' specification", async () => {
    const spec = JSON.parse((await run(["function-spec"])).stdout);
    expect(spec.url).toBe(deployment.url);
    expect(spec.functions).toContainEqual(
      expect.objectContaining({ identifier: "messages.js:send", functionType: "Mutation", visibility: { kind: "public" } }),
    );
    expect(spec.functions).toContainEqual({ functionType: "HttpAction", method: "POST", path: "/echo" });
  });

  it("streams logs", async () => {
    const logs = await startConvex(project, deployment, ["logs", "--success"]);
    let output = "";
    logs.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const client = new ConvexHttpClient(deployment.url, { logger: false });
    await expect
      .poll(
        async () => {
          await client.mutation(anyApi.messages!.send!, { channel: "logs", body: "logged" });
          return output;
        },
        { timeout: 20_000, interval: 500 },
      )
      .toMatch(/\[CONVEX M\(messages:send\)\] \[LOG\] 'sending' 'logged'/);
    logs.kill();
  });

  it("rejects a schema that the data does not fit and keeps the old code", async () => {
    const schema = join(project, "convex/schema.ts");
    const before = readFileSync(schema, "utf8");
    writeFileSync(schema, before.replace("body: v.string()", "body: v.number()"));
    const result = await run(["dev", "--once", "--typecheck", "disable"]);
    writeFileSync(schema, before);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toMatch(/Schema validation failed/);
    expect(result.stderr).toMatch(/messages/);
    expect(result.stderr).toMatch(/body/);
    expect(JSON.parse((await run(["run", "messages:list", '{"channel":"cli"}'])).stdout)).toHaveLength(1);
  });

  it("deploys, also as a dry run", async () => {
    const file = join(project, "convex/later.ts");
    writeFileSync(
      file,
      'import { queryGeneric as query } from "convex/server";\nexport const added = query({ args: {}, handler: async () => "added" });\n',
    );
    expect(await run(["deploy", "--dry-run", "--typecheck", "disable"])).toMatchObject({ code: 0 });
    expect((await run(["run", "later:added"])).code).toBe(1);
    expect(await run(["deploy", "--typecheck", "disable"])).toMatchObject({ code: 0 });
    expect(JSON.parse((await run(["run", "later:added"])).stdout)).toBe("added");
  });

  it("explains code that does not load", async () => {
    const file = join(project, "convex/broken.ts");
    writeFileSync(file, 'throw new Error("cannot be loaded");\nexport const x = 1;\n');
    const result = await run(["dev", "--once", "--typecheck", "disable"]);
    writeFileSync(file, "export {};\n");
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain("cannot be loaded");
  });

  it("runs inline queries", { tags: "@inline-query" }, async () => {
    const inline = (text: string, ...args: string[]) => run(["run", "--inline-query", text, ...args]);
    const inChannel = 'ctx.db.query("messages").withIndex("by_channel", (q) => q.eq("channel", "cli"))';
    expect(JSON.parse((await inline(`(await ${inChannel}.collect()).length`)).stdout)).toBe(1);
    const statements = await inline(
      'const first = await ctx.db.query("messages").first(); console.log("read", first.body); return first.channel;',
    );
    expect(statements.stdout.trim()).toBe('"cli"');
    expect(statements.stderr).toContain("[LOG] 'read' 'hello'");
    expect((await inline("export default query({ handler: async () => 3n })")).stdout).toContain('"$integer": "AwAAAAAAAAA="');
    expect((await inline("export default query({ handler: async (ctx) => ctx.db.insert('messages', {}) })")).stderr).toContain(
      "ctx.db.insert is not a function",
    );
    expect((await inline('await fetch("http://127.0.0.1")')).stderr).toContain("fetch");
    expect((await inline('(await import("node:fs")).readdirSync("/")')).stderr).toContain("The Node.js module node:fs is only available");
    expect((await inline("ctx.")).stderr).toContain("Failed to analyze testQuery.js");
    const component = await inline("1", "--component", "missing");
    expect(component.stderr).toContain('Component path "missing" was not found');
    expect(component.code).toBe(1);
  });

  it("runs a function after a push, and watches a query", { tags: "@run-options" }, async () => {
    const pushed = await run(["run", "--push", "messages:list", '{"channel":"cli"}']);
    expect(JSON.parse(pushed.stdout)).toHaveLength(1);
    const watch = await startConvex(project, deployment, ["run", "--watch", "messages:list", '{"channel":"watched"}']);
    let output = "";
    watch.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toContain("[]");
    await new ConvexHttpClient(deployment.url, { logger: false }).mutation(anyApi.messages!.send!, { channel: "watched", body: "seen" });
    await expect.poll(() => output).toContain('"seen"');
    watch.kill();
  });

  it("prints earlier logs with the names of their functions", { tags: "@log-history" }, async () => {
    await run(["run", "messages:send", '{"channel":"history","body":"earlier"}']);
    const logs = await startConvex(project, deployment, ["logs", "--history", "5", "--success"]);
    let output = "";
    logs.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await expect.poll(() => output).toMatch(/\[CONVEX M\(messages:send\)\] \[LOG\] 'sending' 'earlier'/);
    await expect.poll(() => output).toMatch(/\[CONVEX M\(messages:send\)\] Function executed in \d+ ms/);
    logs.kill();
  });

  it.each([
    ["insights", [], "Insights are only available for cloud deployments"],
    ["dashboard", ["--no-open"], "is not supported for self-hosted deployments"],
  ])("rejects %s by its name", { tags: "@cloud-commands" }, async (command, args, message) => {
    expect((await run([command, ...args])).stderr).toContain(message);
  });

  it("passes the network test", async () => {
    const result = await run(["network-test"]);
    expect(result.stderr).toContain("OK: echo 4 MiB");
    expect(result.code).toBe(0);
  });

  it("warns before an index of a large table is dropped", async () => {
    const schema = join(project, "convex/schema.ts");
    const before = readFileSync(schema, "utf8");
    writeFileSync(schema, before.replace(/\.index\("by_channel", \["channel"\]\)/, ""));
    const result = await run(["deploy", "--typecheck", "disable"], { env: { CONVEX_MIN_DOCUMENTS_FOR_INDEX_DELETE_WARNING: "1" } });
    writeFileSync(schema, before);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toContain("messages.by_channel");
    expect(result.stderr).toContain("interactive terminal");
  });

  it("is refused with a wrong key", async () => {
    const result = await convex(project, { url: deployment.url, adminKey: `test|${"0".repeat(64)}` }, [
      "run",
      "messages:list",
      '{"channel":"cli"}',
    ]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/admin key was invalid/);
  });

  it("connects to nothing but loopback", { tags: "@connects-nothing-but-loopback" }, () => expect(reached).toEqual([]));
});
