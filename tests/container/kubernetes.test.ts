import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Job } from "kubernetes-models/batch/v1/Job";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import * as z from "zod";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLES = ["embedded", "replicas"];

const KINDS = { Deployment, Job, PersistentVolumeClaim, PodDisruptionBudget, Secret, Service };
const MODULES: Record<string, string> = { Deployment: "apps/v1", Job: "batch/v1", PodDisruptionBudget: "policy/v1" };

const manifestSchema = z.looseObject({ apiVersion: z.string(), kind: z.enum(Object.keys(KINDS)) });
type Manifest = z.infer<typeof manifestSchema>;

async function manifestsIn(example: string): Promise<Manifest[]> {
  const text = await readFile(join(ROOT, `deploy/kubernetes/${example}.yaml`), "utf8");
  return parseAllDocuments(text).map((document) => manifestSchema.parse(document.toJS()));
}

async function unknownFields(manifests: Manifest[]): Promise<string> {
  const folder = await mkdtemp(join(ROOT, "node_modules/.cache/manifests-"));
  try {
    const lines = manifests.map((manifest, index) => {
      const { kind } = manifest;
      const type = `import("kubernetes-models/${MODULES[kind] ?? "v1"}/${kind}").I${kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
    });
    await writeFile(join(folder, "manifests.ts"), lines.join("\n"));
    const flags = ["--ignoreConfig", "--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
    return await promisify(execFile)(join(ROOT, "node_modules/.bin/tsc"), [...flags, join(folder, "manifests.ts")]).then(
      () => "",
      (error: unknown) => z.object({ stdout: z.string() }).parse(error).stdout,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

it.for(EXAMPLES)("the Kubernetes example %s matches the schemas", { tags: "@kubernetes-schemas" }, async (example) => {
  const manifests = await manifestsIn(example);
  expect(manifests.length).toBeGreaterThan(3);
  for (const manifest of manifests) Reflect.construct(KINDS[manifest.kind as keyof typeof KINDS], [manifest]).validate();
  expect(await unknownFields(manifests)).toBe("");
});

it("the check rejects unknown fields and wrong types", { tags: "@kubernetes-check" }, async () => {
  const [deployment] = (await manifestsIn("embedded")).filter(({ kind }) => kind === "Deployment");
  const changed = structuredClone(deployment);
  Object.assign(Object(changed).spec, { replica: 2 });
  expect(await unknownFields([manifestSchema.parse(changed)])).toMatch(/replica.* does not exist in type 'IDeploymentSpec'/);
  Object.assign(Object(changed).spec, { replicas: "two" });
  expect(() => new Deployment(Object(changed)).validate()).toThrow("replicas must be integer");
});

it("the Kubernetes examples set only existing settings", { tags: "@kubernetes-settings" }, async () => {
  const configuration = await readFile(join(ROOT, "docs/configuration.md"), "utf8");
  for (const example of EXAMPLES) {
    const text = await readFile(join(ROOT, `deploy/kubernetes/${example}.yaml`), "utf8");
    const names = [...text.matchAll(/- name: ([A-Z_]+)$/gm)].map(([, name = ""]) => name.replace(/_FILE$/, ""));
    expect(names.length).toBeGreaterThan(2);
    for (const name of names) expect(configuration, name).toContain(`\`${name}\``);
  }
});
