import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZipFile } from "yazl";
import { startDeployment, type Deployment } from "../src/deployment.ts";
import { ADMIN_KEY, convex, removeFolder, temporaryFolder, type CliResult } from "./harness.ts";

const PACKAGES = resolve(import.meta.dirname, "../../node_modules");
const { version: CSV_PARSE }: { version: string } = JSON.parse(readFileSync(join(PACKAGES, "csv-parse/package.json"), "utf8"));
const FIXTURE = join(import.meta.dirname, "node-fixture");

const folders: string[] = [];
const deployments: Deployment[] = [];
const folder = (name: string): string => {
  const path = temporaryFolder(name);
  folders.push(path);
  return path;
};

async function start(nodeModules: string): Promise<Deployment> {
  const nodeSettings = { nodeModules, allowsAddons: false };
  const deployment = await startDeployment({ dataDir: folder("node-data"), port: 0, sitePort: 0, adminKey: ADMIN_KEY, nodeSettings });
  deployments.push(deployment);
  return deployment;
}

function createNodeProject(): string {
  const project = folder("node-project");
  cpSync(FIXTURE, project, { recursive: true });
  symlinkSync(PACKAGES, join(project, "node_modules"));
  return project;
}

afterAll(async () => {
  for (const deployment of deployments) await deployment.close();
  for (const path of folders) removeFolder(path);
});

describe('"use node" files, pushed by the official command line', { tags: "slow", timeout: 120_000 }, () => {
  let project: string;
  let deployment: Deployment;
  const push = (): Promise<CliResult> => convex(project, deployment, ["dev", "--once", "--typecheck", "disable"], { timeoutMs: 120_000 });
  const write = (file: string, text: string): void => writeFileSync(join(project, file), text);
  const http = () => new ConvexHttpClient(deployment.url, { logger: false });

  beforeAll(async () => {
    project = createNodeProject();
    deployment = await start(PACKAGES);
  });

  it("run with an external and a bundled package", async () => {
    const pushed = await push();
    expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
    expect(await http().action(anyApi.archives!.rows!, { text: "a,b\nc,d" })).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    const zip = new ZipFile();
    zip.addBuffer(Buffer.from("text"), "notes.txt");
    zip.end();
    const archive = Buffer.concat(await Array.fromAsync(zip.outputStream as AsyncIterable<Buffer>));
    expect(await http().action(anyApi.archives!.entries!, { archive: new Uint8Array(archive).buffer })).toEqual(["notes.txt"]);
    expect(await http().query(anyApi.labels!.first!, {})).toBe("one");
  });

  it("show the file and line of an error to developers", async () => {
    const run = await convex(project, deployment, ["run", "archives:fails"]);
    expect(run.code).not.toBe(0);
    const line =
      readFileSync(join(project, "convex/archives.ts"), "utf8")
        .split("\n")
        .findIndex((text) => text.includes("as expected")) + 1;
    expect(run.stderr).toContain(`convex/archives.ts:${line}:`);
  });

  it("are refused with a query", async () => {
    write(
      "convex/mixed.ts",
      `"use node";\nimport { queryGeneric } from "convex/server";\nexport const list = queryGeneric(async () => 1);\n`,
    );
    const { code, stderr } = await push();
    write("convex/mixed.ts", "export {};\n");
    expect(code).not.toBe(0);
    expect(stderr).toContain("`list` defined in `mixed.js` is a Query function. Only actions can be defined in Node.js.");
  });

  it("are refused for a version of Node that the deployment lacks", { tags: "@node-version" }, async () => {
    write("convex.json", JSON.stringify({ node: { externalPackages: ["csv-parse"], nodeVersion: "99" } }));
    const { code, stderr } = await push();
    write("convex.json", readFileSync(join(FIXTURE, "convex.json"), "utf8"));
    expect(code).not.toBe(0);
    expect(stderr).toContain(`This deployment runs Node ${Number.parseInt(process.versions.node, 10)}`);
  });

  it("are refused with an external package of another version", async () => {
    const packages = join(folder("node-packages"), "node_modules");
    mkdirSync(join(packages, "csv-parse"), { recursive: true });
    writeFileSync(join(packages, "csv-parse/package.json"), JSON.stringify({ name: "csv-parse", version: "1.0.0" }));
    const other = await start(packages);
    const { code, stderr } = await convex(project, other, ["dev", "--once", "--typecheck", "disable"], { timeoutMs: 120_000 });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`The external package csv-parse has version 1.0.0 in ${packages}; the push needs version ${CSV_PARSE}.`);
    expect(stderr).toContain(`npm install --save-exact csv-parse@${CSV_PARSE}`);
  });
});
