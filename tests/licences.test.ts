import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const LICENSEE = join(ROOT, "node_modules/licensee/licensee");

async function check(license: string, dependencies: "dependencies" | "devDependencies"): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), "atelier-licences-"));
  const dependency = join(folder, "node_modules/some-package");
  try {
    await mkdir(dependency, { recursive: true });
    await cp(join(ROOT, ".licensee.json"), join(folder, ".licensee.json"));
    const project = { name: "project", version: "1.0.0", license: "MIT", [dependencies]: { "some-package": "1.0.0" } };
    await writeFile(join(folder, "package.json"), JSON.stringify(project));
    await writeFile(join(dependency, "package.json"), JSON.stringify({ name: "some-package", version: "1.0.0", license }));
    await promisify(execFile)(process.execPath, [LICENSEE, "--production", "--errors-only"], { cwd: folder });
    return null;
  } catch (error) {
    return error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
  } finally {
    await rm(folder, { recursive: true });
  }
}

it.each(["MIT", "BSD-3-Clause", "(GPL-3.0 OR MIT)"])("accepts a production dependency under %s", async (license) =>
  expect(await check(license, "dependencies")).toBeNull(),
);

it.each([{ license: "GPL-3.0-only" }, { license: "LGPL-3.0-or-later" }, { license: "SSPL-1.0" }, { license: "none of these" }])(
  "rejects a production dependency under $license",
  { tags: "@rejects-production-dependency-under" },
  async ({ license }) => expect(await check(license, "dependencies")).toContain("some-package@1.0.0"),
);

it("ignores development dependencies", async () => expect(await check("GPL-3.0-only", "devDependencies")).toBeNull());
