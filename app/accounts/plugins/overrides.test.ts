import { existsSync, readdirSync, readFileSync } from "node:fs";
import { betterAuth } from "better-auth";
import { describe, expect, it } from "vitest";
import { testConfig } from "~/http/testing";
import { authFor } from "../auth.server";

/** docs/upgrading-better-auth.md against the code: what is replaced of Better Auth, what tells that it no longer is, and what is open. */

const ROOT = new URL("../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");
const page = read("docs/upgrading-better-auth.md");

/** The rows of its tables: what is overridden, by what, and what tells of it. */
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (-|In the|Here)/.test(line))
  .map((line) => {
    const [what = "", , by = "", told = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    return { what, by, told };
  });

/** A file and the beginnings of titles of its tests, as in docs/security.md: `file` ('one', 'another'). */
const shownIn = (told: string) =>
  [...told.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)` \('(.+?)'\)(?=,|$)/g)].flatMap(([, file = "", titles = ""]) =>
    titles.split("', '").map((title) => [file, title] as const),
  );

const auth = authFor(testConfig, new Request("https://atelier.example"));
const ours: { id: string; endpoints?: object }[] = auth.options.plugins ?? [];

describe("docs/upgrading-better-auth.md", () => {
  it("is of the version that is installed, and that nothing but a drill raises", () => {
    const { dependencies } = JSON.parse(read("package.json"));
    const { version } = JSON.parse(read("node_modules/better-auth/package.json"));
    const said = [...page.matchAll(/^\|[^|]*\| In Better Auth ([\d.]+)/gm)].map(([, of]) => of);
    expect(said).toEqual([version, version]);
    for (const name of ["better-auth", "@better-auth/core", "@better-auth/passkey", "better-call"])
      expect(dependencies[name], `${name} is pinned`).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("leaves telemetry off", () => expect(auth.options.telemetry).toEqual({ enabled: false }));

  it("has a row for each of our plugins", () => {
    const named = rows.map(({ by }) => by).join("\n");
    const files = readdirSync(new URL("app/accounts/plugins/", ROOT)).flatMap((file) => /^(.+)\.server\.ts$/.exec(file)?.[1] ?? []);
    // It only gathers those of the specification's own API.
    const missing = files.filter((file) => file !== "specification" && !named.includes(`\`${file}\``));
    expect(files.length).toBeGreaterThan(15);
    expect(missing).toEqual([]);
  });

  it("names each endpoint that takes the place of one of the core's, by its key", () => {
    const core = new Set(Object.keys(betterAuth({ secret: testConfig.secret, baseURL: "https://atelier.example" }).api));
    const replaced = ours.flatMap(({ endpoints = {} }) => Object.keys(endpoints)).filter((key) => core.has(key));
    expect(replaced.toSorted()).toEqual(["accountInfo", "getAccessToken", "refreshToken", "resetPassword", "unlinkAccount"]);
    for (const key of replaced) expect(rows.some(({ by }) => by.includes(`\`${key}\``))).toBe(true);
  });

  it.each(rows)("has a test that tells when this no longer holds: $what", ({ told }) => {
    const shown = shownIn(told);
    expect(shown.length).toBeGreaterThan(0);
    for (const [file, title] of shown) {
      expect(existsSync(new URL(file, ROOT)), file).toBe(true);
      const source = read(file);
      const at = ['"', "'", "`"].map((quote) => source.indexOf(quote + title)).find((place) => place >= 0) ?? -1;
      expect(at, `${file} has a test “${title}”`).toBeGreaterThanOrEqual(0);
      expect(source.slice(Math.max(0, at - 40), at)).not.toMatch(/\.(skip|fixme|todo)\b/);
    }
  });

  it("knows every address that is open", () => {
    const [, listed = ""] = /## What is open[^]*```text\n([^]*?)```/.exec(page) ?? [];
    const open = Object.values<unknown>(auth.api).flatMap(addressesOf);
    expect([...new Set(open)].toSorted()).toEqual(listed.trim().split("\n"));
  });
});

/** The addresses under which the router answers for an endpoint: none for those that are for servers only. */
function addressesOf(endpoint: unknown): string[] {
  if (typeof endpoint !== "function" || !("path" in endpoint) || !("options" in endpoint)) return [];
  const { path, options } = endpoint;
  if (typeof path !== "string" || typeof options !== "object" || options === null || !("method" in options)) return [];
  const metadata: unknown = Reflect.get(options, "metadata");
  const isServers = typeof metadata === "object" && metadata !== null && Reflect.get(metadata, "SERVER_ONLY") === true;
  return isServers ? [] : [options.method].flat().map((method) => `${String(method)} ${path}`);
}
