import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { betterAuth } from "better-auth";
import { describe, expect, it } from "vitest";
import { testConfig } from "~/lib/http/testing";
import { citedTests, expectTests } from "../../../../../tests/test-ids.ts";
import { authFor } from "../auth.server";

const ROOT = new URL("../../../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");
const page = read("docs/upgrading-better-auth.md");

const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (-|In the|Here)/.test(line))
  .map((line) => {
    const [what = "", , by = "", cited = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    return { what, by, cited };
  });

const auth = authFor(testConfig, new Request("https://atelier.example"));
const ours: { id: string; endpoints?: object }[] = auth.options.plugins ?? [];

describe("docs/upgrading-better-auth.md", () => {
  it("describes the installed version, which is pinned", () => {
    const { dependencies } = JSON.parse(read("package.json"));
    const { version } = JSON.parse(read("node_modules/better-auth/package.json"));
    const versions = [...page.matchAll(/^\|[^|]*\| In Better Auth ([\d.]+)/gm)].map(([, of]) => of);
    expect(versions).toEqual([version, version]);
    for (const name of ["better-auth", "@better-auth/core", "@better-auth/passkey", "better-call"])
      expect(dependencies[name], `${name} is pinned`).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("leaves telemetry off", () => expect(auth.options.telemetry).toEqual({ enabled: false }));

  it("has a row for each plugin", () => {
    const named = rows.map(({ by }) => by).join("\n");
    const files = globSync("**/*.server.ts", { cwd: import.meta.dirname }).map((file) => basename(file, ".server.ts"));
    const missing = files.filter((file) => file !== "specification" && !named.includes(`\`${file}\``));
    expect(files.length).toBeGreaterThan(15);
    expect(missing).toEqual([]);
  });

  it("lists each endpoint that replaces one of Better Auth's, by its key", () => {
    const core = new Set(Object.keys(betterAuth({ secret: testConfig.secret, baseURL: "https://atelier.example" }).api));
    const replaced = ours.flatMap(({ endpoints = {} }) => Object.keys(endpoints)).filter((key) => core.has(key));
    expect(replaced.toSorted()).toEqual(["accountInfo", "getAccessToken", "refreshToken", "resetPassword", "unlinkAccount"]);
    for (const key of replaced) expect(rows.some(({ by }) => by.includes(`\`${key}\``))).toBe(true);
  });

  it.each(rows)("has a test that detects a change: $what", ({ cited }) => {
    expectTests(citedTests(cited));
  });

  it("lists every public endpoint", () => {
    const [, listed = ""] = /## HTTP endpoints[^]*```text\n([^]*?)```/.exec(page) ?? [];
    const open = Object.values<unknown>(auth.api).flatMap(addressesOf);
    expect([...new Set(open)].toSorted()).toEqual(listed.trim().split("\n"));
  });
});

function addressesOf(endpoint: unknown): string[] {
  if (typeof endpoint !== "function" || !("path" in endpoint) || !("options" in endpoint)) return [];
  const { path, options } = endpoint;
  if (typeof path !== "string" || typeof options !== "object" || options === null || !("method" in options)) return [];
  const metadata: unknown = Reflect.get(options, "metadata");
  const isServers = typeof metadata === "object" && metadata !== null && Reflect.get(metadata, "SERVER_ONLY") === true;
  return isServers ? [] : [options.method].flat().map((method) => `${String(method)} ${path}`);
}
