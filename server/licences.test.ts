import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Licences that ask for no more than to be named, and MPL-2.0 (files of theirs that we change) and LGPL (a library that can be exchanged). */
const ACCEPTED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "LGPL-3.0-or-later",
  "MIT",
  "MIT-0",
  "MPL-2.0",
  "OFL-1.1",
  "Unlicense",
]);

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().optional(),
      link: z.boolean().optional(),
      integrity: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
      devDependencies: z.record(z.string(), z.string()).optional(),
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
});
const packageSchema = z.object({ name: z.string(), license: z.union([z.string(), z.object({ type: z.string() })]).optional() });

/** Of whom package.json does not say it: read in what else the package holds. */
const READ: Record<string, string> = { "combine-errors": "MIT" };

/** What only works on this project is shipped to nobody: naming who made it is enough. */
const ACCEPTED_OF_TOOLS = ACCEPTED.union(new Set(["CC-BY-4.0"]));

it("everything that is shipped has a licence that may be shipped", async () => {
  const { looked, found } = await licences(({ dev }) => !dev, ACCEPTED);
  expect(looked).toBeGreaterThan(80);
  expect(found).toEqual([]);
});

it("and so has everything that it is made and tested with", async () => {
  const { looked, found } = await licences(({ dev }) => dev === true, ACCEPTED_OF_TOOLS);
  expect(looked).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

it("each package is held at an exact version of its own, with its digest (SECURITY.md)", async () => {
  const { packages } = lockSchema.parse(JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")));
  const wanted = ["", "engine"].flatMap((own) => Object.entries({ ...packages[own]?.dependencies, ...packages[own]?.devDependencies }));
  expect(wanted.length).toBeGreaterThan(50);
  expect(wanted.filter(([name, version]) => name !== "@atelier/engine" && !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
  const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && !link);
  expect(fetched.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
});

/** How many packages were looked at, and those among them under other terms than these. */
async function licences(wanted: (entry: { dev?: boolean | undefined }) => boolean, accepted: Set<string>) {
  const { packages } = lockSchema.parse(JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")));
  const found: string[] = [];
  let looked = 0;
  for (const [path, entry] of Object.entries(packages)) {
    if (!path.includes("node_modules/") || entry.link || !wanted(entry)) continue;
    // Builds for other systems are not here; they are the same packages.
    const text = await readFile(join(ROOT, path, "package.json"), "utf8").catch(() => null);
    if (text === null) continue;
    const { name, license } = packageSchema.parse(JSON.parse(text));
    const told = READ[name] ?? (typeof license === "object" ? license.type : license) ?? "none";
    looked++;
    const choices = told.replaceAll(/[()]/g, "").split(" OR ");
    if (!choices.some((one) => one.split(" AND ").every((each) => accepted.has(each)))) found.push(`${name}: ${told}`);
  }
  return { looked, found };
}
