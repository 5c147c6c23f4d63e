import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import * as z from "zod";

const entrySchema = z.object({
  version: z.string().optional(),
  link: z.boolean().optional(),
  integrity: z.string().optional(),
  inBundle: z.boolean().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
});

const lockFile = JSON.parse(await readFile(new URL("../package-lock.json", import.meta.url), "utf8"));
const { packages } = z.object({ packages: z.record(z.string(), entrySchema) }).parse(lockFile);

it(
  "names an exact version for each dependency, and a digest for each package",
  { tags: "@names-exact-version-each-dependency-digest" },
  () => {
    const wanted = ["", "engine"].flatMap((own) => Object.entries({ ...packages[own]?.dependencies, ...packages[own]?.devDependencies }));
    expect(wanted.length).toBeGreaterThan(50);
    expect(wanted.filter(([name, version]) => name !== "@atelier/engine" && !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
    // A bundled package is part of its parent's archive, which has the digest.
    const fetched = Object.entries(packages).filter(([path, { link, inBundle }]) => path.includes("node_modules/") && !link && !inBundle);
    expect(fetched.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
  },
);

// Two copies break both frameworks (docs/decisions/005-dependency-overrides.md).
it.each([
  "better-auth",
  "@better-auth/core",
  "@better-auth/utils",
  "@better-fetch/fetch",
  "better-call",
  "react-router",
  "@react-router/node",
])("has one copy of %s", (name) => {
  const copies = Object.entries(packages).filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`));
  expect(copies.map(([path, { version }]) => [path, version])).toEqual([[`node_modules/${name}`, packages[""]?.dependencies?.[name]]]);
});
