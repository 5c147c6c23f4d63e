import { expect, it } from "vitest";
import recorded from "./fixtures/registry.json" with { type: "json" };
import { findOutdated, type Installed, type Manifest, type Registry } from "./outdated.ts";

const times = new Map<string, Record<string, string>>(Object.entries(recorded.times));
const manifests = new Map<string, Manifest>(Object.entries(recorded.manifests));
const registry: Registry = {
  times: async (name) => times.get(name) ?? {},
  manifest: async (name, range) => manifests.get(`${name}@${range}`) ?? null,
};
const NOW = new Date("2026-11-23T12:00:00Z");

const installed: Installed = {
  stripe: { version: "22.6.2" },
  "@better-auth/stripe": { version: "1.7.6", peerDependencies: { stripe: "^18 || ^19 || ^20 || ^21 || ^22" } },
  "@types/node": { version: "24.19.2" },
  "@tailwindcss/vite": { version: "4.3.3", dependencies: { tailwindcss: "4.3.3", "@tailwindcss/oxide": "4.3.3" } },
  tailwindcss: { version: "4.3.3" },
  oxlint: { version: "1.89.0" },
  "oxlint-tsgolint": { version: "7.0.2004" },
  knip: { version: "6.42.1" },
  zod: { version: "4.6.7" },
  vite: { version: "8.3.8" },
  "lucide-react": { version: "1.73.0" },
  react: { version: "19.3.1" },
  semver: { version: "7.8.6" },
};
const check = async (...names: string[]) => findOutdated(names, installed, registry, NOW);

it("names the newest version, its date and the days since the first newer one", async () => {
  expect(await check("lucide-react")).toEqual([
    { name: "lucide-react", installed: "1.73.0", newest: "1.75.0", published: "2026-11-18", daysBehind: 5, blockedBy: [] },
  ]);
});

it("ignores prereleases and later releases of older major versions", async () => {
  expect(await check("semver")).toEqual([]);
  expect(await check("stripe")).toMatchObject([{ newest: "23.1.0", published: "2026-10-29", daysBehind: 53 }]);
});

it("names the dependency whose peers do not accept the newest version", async () => {
  expect(await check("stripe", "@better-auth/stripe")).toMatchObject([
    { name: "stripe", blockedBy: ["@better-auth/stripe accepts ^18 || ^19 || ^20 || ^21 || ^22"] },
  ]);
});

it("names the peer that the newest version does not accept", async () => {
  const older = { ...installed, react: { version: "15.0.0" } };
  const [row] = await findOutdated(["lucide-react"], older, registry, NOW);
  expect(row?.blockedBy).toEqual(["needs react ^16.5.1 || ^17.0.0 || ^18.0.0 || ^19.0.0, installed is 15.0.0"]);
});

it("names the packages for a platform that the registry lacks", async () => {
  expect(await check("@tailwindcss/vite")).toMatchObject([
    {
      newest: "4.3.5",
      blockedBy: ["@tailwindcss/oxide@4.3.5 lacks 1 of 2 packages for platforms: @tailwindcss/oxide-darwin-arm64"],
    },
  ]);
});

it("names some of many missing packages, also of indirect dependencies", async () => {
  expect(await check("knip")).toMatchObject([
    {
      newest: "6.44.2",
      blockedBy: [
        "oxc-parser@0.156.0 lacks 4 of 5 packages for platforms: @oxc-parser/binding-darwin-arm64, @oxc-parser/binding-android-arm64, @oxc-parser/binding-win32-arm64-msvc and 1 more",
      ],
    },
  ]);
  const older = { ...installed, wrapper: { version: "1.0.0" } };
  const deep = new Map<string, Manifest>([
    ["wrapper@1.1.0", { name: "wrapper", version: "1.1.0", dependencies: { a: "1" } }],
    ["a@1", { name: "a", version: "1.0.0", dependencies: { b: "1" } }],
    ["b@1", { name: "b", version: "1.0.0", dependencies: { a: "1", "@tailwindcss/oxide": "4.3.5" } }],
  ]);
  const [row] = await findOutdated(
    ["wrapper"],
    older,
    {
      times: async () => ({ "1.1.0": "2026-11-20T10:00:00+00:00" }),
      manifest: async (name, range) => deep.get(`${name}@${range}`) ?? registry.manifest(name, range),
    },
    NOW,
  );
  expect(row?.blockedBy).toEqual([expect.stringContaining("@tailwindcss/oxide@4.3.5 lacks")]);
});

it("ignores optional peers, installed or not", async () => {
  expect(await check("oxlint", "oxlint-tsgolint")).toMatchObject([{ newest: "1.94.0", blockedBy: [] }]);
  const peer = { version: "1.0.0", peerDependencies: { oxlint: "^1.80.0 <1.90.0" }, peerDependenciesMeta: { oxlint: { optional: true } } };
  expect(await findOutdated(["oxlint", "plugin"], { ...installed, plugin: peer }, registry, NOW)).toMatchObject([{ blockedBy: [] }]);
});

it("names the dependency that needs exactly the installed version", async () => {
  expect(await check("tailwindcss", "@tailwindcss/vite")).toMatchObject([
    { name: "tailwindcss", blockedBy: ["@tailwindcss/vite depends on 4.3.3"] },
    { name: "@tailwindcss/vite" },
  ]);
});
