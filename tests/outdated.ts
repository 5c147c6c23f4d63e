import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import semver from "semver";
import * as z from "zod";

const ranges = z.record(z.string(), z.string()).optional();
const peers = {
  peerDependencies: ranges,
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean().optional() })).optional(),
};
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  deprecated: z.string().optional(),
  dependencies: ranges,
  optionalDependencies: ranges,
  ...peers,
});
export type Manifest = z.infer<typeof manifestSchema>;

export type Registry = {
  times(name: string): Promise<Record<string, string>>;
  manifest(name: string, range: string): Promise<Manifest | null>;
};

export type Installed = Record<string, Pick<Manifest, "version"> & Partial<Pick<Manifest, "dependencies" | keyof typeof peers>>>;

export type Outdated = {
  name: string;
  installed: string;
  newest: string;
  published: string;
  daysBehind: number;
  blockedBy: string[];
};

const DAY = 24 * 60 * 60 * 1000;
const NAMED = 3;

/** Returns direct dependencies with a newer stable version. Ignores `latest`, which may be an older major version. */
export async function findOutdated(direct: string[], installed: Installed, registry: Registry, now: Date): Promise<Outdated[]> {
  const found = await Promise.all(direct.map((name) => check(name)));
  return found.filter((each) => each !== null);

  async function check(name: string): Promise<Outdated | null> {
    const current = installed[name]?.version;
    if (current === undefined) return null;
    const times = await registry.times(name);
    const newer = Object.keys(times)
      .filter((version) => semver.valid(version) !== null && semver.prerelease(version) === null && semver.gt(version, current))
      .toSorted(semver.compare);
    const newest = newer.at(-1);
    if (newest === undefined) return null;
    const first = Math.min(...newer.map((version) => Date.parse(times[version] ?? "")));
    return {
      name,
      installed: current,
      newest,
      published: (times[newest] ?? "").slice(0, 10),
      daysBehind: Math.floor((now.getTime() - first) / DAY),
      blockedBy: [...(await peersAgainst(name, newest)), ...(await missingFor(name, newest, new Set()))],
    };
  }

  async function peersAgainst(name: string, version: string): Promise<string[]> {
    const manifest = await registry.manifest(name, version);
    const own = requiredPeers(manifest).flatMap(([peer, range]) => {
      const has = installed[peer]?.version;
      return has === undefined || semver.satisfies(has, range) ? [] : [`needs ${peer} ${range}, installed is ${has}`];
    });
    const others = direct.flatMap((other) => {
      const range = new Map(requiredPeers(installed[other])).get(name);
      return range === undefined || semver.satisfies(version, range) ? [] : [`${other} accepts ${range}`];
    });
    // With a range, npm would install a second copy of an exactly pinned package.
    const pinned = direct.flatMap((other) => {
      const range = installed[other]?.dependencies?.[name];
      return range === undefined || semver.valid(range) === null || range === version ? [] : [`${other} depends on ${range}`];
    });
    return [...own, ...others, ...pinned];
  }

  /** Returns needed packages that the registry lacks: npm installs without them, but `npm ci` fails. `seen`: packages already checked. */
  async function missingFor(name: string, range: string, seen: Set<string>): Promise<string[]> {
    if (seen.has(name)) return [];
    seen.add(name);
    const manifest = await registry.manifest(name, range);
    if (!manifest) return [`missing ${name}@${range}`];
    const builds = Object.entries(manifest.optionalDependencies ?? {});
    const found = await Promise.all(builds.map(async ([build, wanted]) => (await registry.manifest(build, wanted)) !== null));
    const absent = builds.filter((_, index) => !found[index]).map(([build]) => build);
    const needed = Object.entries(manifest.dependencies ?? {}).filter(([other, wanted]) => {
      const has = installed[other]?.version;
      return !builds.some(([build]) => build === other) && (has === undefined || !semver.satisfies(has, wanted));
    });
    const below = await Promise.all(needed.map(([other, wanted]) => missingFor(other, wanted, seen)));
    return [...lacks(manifest, builds.length, absent), ...below.flat()];
  }
}

function requiredPeers(of: Pick<Manifest, keyof typeof peers> | null | undefined): [string, string][] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = of ?? {};
  return Object.entries(peerDependencies).filter(([peer]) => peerDependenciesMeta[peer]?.optional !== true);
}

function lacks({ name, version }: Manifest, all: number, absent: string[]): string[] {
  if (absent.length === 0) return [];
  const more = absent.length > NAMED ? ` and ${absent.length - NAMED} more` : "";
  return [`${name}@${version} lacks ${absent.length} of ${all} packages for platforms: ${absent.slice(0, NAMED).join(", ")}${more}`];
}

const failure = z.object({ stdout: z.string() });
const refusal = z.object({ error: z.object({ code: z.string() }) });

const CONCURRENCY = 4;

function npmRegistry(): Registry {
  const run = promisify(execFile);
  const answers = new Map<string, Promise<unknown>>();
  const lanes: Promise<unknown>[] = Array.from({ length: CONCURRENCY }, async () => undefined);
  const view = (spec: string, ...fields: string[]): Promise<unknown> => {
    const question = [spec, ...fields].join(" ");
    const known = answers.get(question);
    if (known) return known;
    const lane = answers.size % CONCURRENCY;
    const answer = (lanes[lane] ?? Promise.resolve()).then(async () => {
      const { stdout } = await run("npm", ["view", spec, ...fields, "--json"], { maxBuffer: 64 * 1024 * 1024 }).catch((error: unknown) => {
        const { data } = failure.safeParse(error);
        if (data && refusal.safeParse(JSON.parse(data.stdout)).data?.error.code === "E404") return { stdout: "null" };
        throw error;
      });
      return JSON.parse(stdout.trim() || "null");
    });
    answers.set(question, answer);
    lanes[lane] = answer.catch(() => undefined);
    return answer;
  };
  const fields = ["name", "version", "deprecated", "dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta"];
  return {
    times: async (name) => z.record(z.string(), z.string()).parse((await view(name, "time")) ?? {}),
    async manifest(name, range) {
      const answer = await view(`${name}@${range}`, ...fields);
      const versions = answer === null ? [] : z.array(manifestSchema).parse([answer].flat());
      return versions.toSorted((a, b) => semver.compare(a.version, b.version)).at(-1) ?? null;
    },
  };
}

const packageSchema = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()).optional(),
});
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), dependencies: ranges, ...peers })),
});

async function main(): Promise<void> {
  const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(new URL(`../${path}`, import.meta.url), "utf8"));
  const projects = [packageSchema.parse(await read("package.json")), packageSchema.parse(await read("engine/package.json"))];
  const direct = new Set(projects.flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies })));
  direct.delete("@atelier/engine");
  const { packages } = lockSchema.parse(await read("package-lock.json"));
  const installed: Installed = {};
  for (const [path, { version, ...needs }] of Object.entries(packages))
    if (path.startsWith("node_modules/") && !path.includes("/node_modules/") && version !== undefined)
      installed[path.slice("node_modules/".length)] = { version, ...needs };
  const rows = await findOutdated([...direct].toSorted(), installed, npmRegistry(), new Date());
  for (const { name, installed: has, newest, published, daysBehind, blockedBy } of rows) {
    console.log(`${name} ${has} → ${newest} (${published}), ${daysBehind} days behind`);
    for (const reason of blockedBy) console.log(`  blocked: ${reason}`);
  }
  if (rows.length === 0) console.log("All direct dependencies are the newest.");
}

if (import.meta.main) await main();
