import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_SIMULATION, type Simulation } from "../simulation/options.ts";
import type { Identity, Json } from "../values/types.ts";
import { bundleSources, type ComponentSources } from "./bundles/bundle-fixture.ts";
import type { FileBucketSettings } from "./files/bucket/bucket-settings.ts";
import { startRunner, type Jobs, type RunnerOptions } from "./runner.ts";
import type { Call, FunctionRunner, NodeDependency, Outcome, Push } from "./types.ts";

export const anonymous: Identity = { kind: "none" };
export const user = (subject: string): Identity => ({
  kind: "user",
  user: { tokenIdentifier: `https://issuer.test|${subject}`, subject, issuer: "https://issuer.test" },
  expiresAt: Date.now() + 60_000,
});

export const call = (path: string, args: Json = {}, more: Partial<Call> = {}): Call => ({
  path,
  args,
  identity: anonymous,
  visibility: "public",
  ...more,
});

export class Fixture {
  readonly dir = mkdtempSync(join(tmpdir(), "engine-functions-"));
  runner!: FunctionRunner & { jobs: Jobs };

  readonly #simulation: Simulation;
  readonly #options: Pick<RunnerOptions, "warn" | "nodeSettings">;
  fileBucket: FileBucketSettings | null = null;
  siteUrl = "http://127.0.0.1:3211";

  constructor(simulation: Partial<Simulation> = {}, options: Pick<RunnerOptions, "warn" | "nodeSettings"> = {}) {
    this.#options = options;
    this.#simulation = { ...NO_SIMULATION, ...simulation };
  }

  static async start(simulation?: Partial<Simulation>): Promise<Fixture> {
    const fixture = new Fixture(simulation);
    await fixture.open();
    return fixture;
  }

  async open(): Promise<void> {
    this.runner = await startRunner({
      dir: this.dir,
      cloudUrl: "http://127.0.0.1:3210",
      siteUrl: this.siteUrl,
      simulation: this.#simulation,
      fileBucket: this.fileBucket,
      ...this.#options,
    });
  }

  async restart(): Promise<void> {
    await this.runner.close();
    await this.open();
  }

  async remove(): Promise<void> {
    await this.runner.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async analyze(files: Record<string, string>, components?: ComponentSources, nodeDependencies?: NodeDependency[]): Promise<Push> {
    const bundle = await bundleSources(files, components, nodeDependencies);
    return { bundle, analysis: await this.runner.analyze(bundle) };
  }

  async push(files: Record<string, string>, components?: ComponentSources, nodeDependencies?: NodeDependency[]): Promise<void> {
    const push = await this.analyze(files, components, nodeDependencies);
    await this.runner.prepare(push);
    await this.runner.apply(push);
  }

  async value(path: string, args: Json = {}, more: Partial<Call> = {}): Promise<Json> {
    const outcome = await this.runner.anyFunction(call(path, args, more));
    if (!outcome.ok) throw new Error(outcome.message);
    return outcome.value;
  }

  async failure(path: string, args: Json = {}, more: Partial<Call> = {}): Promise<Extract<Outcome, { ok: false }>> {
    const outcome = await this.runner.anyFunction(call(path, args, more));
    if (outcome.ok) throw new Error(`${path} did not fail: ${JSON.stringify(outcome.value)}`);
    return outcome;
  }
}
