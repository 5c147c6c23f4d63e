/** `npm run release -- major|minor|patch`: sets the version, dates the changelog, records data for later upgrade tests, commits and tags. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import semver from "semver";
import { releasedChangelog } from "./released-changelog.ts";

const FILES = ["package.json", "engine/package.json", "server/package.json", "package-lock.json"];

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

function main(): void {
  const [kind = ""] = process.argv.slice(2);
  if (kind !== "major" && kind !== "minor" && kind !== "patch") throw new Error("Name the kind: npm run release -- major|minor|patch");
  if (git("status", "--porcelain") !== "") throw new Error("Commit or discard the changes in this folder first.");
  const { version: current }: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const version = semver.inc(current, kind);
  if (version === null) throw new Error(`package.json has no SemVer version: ${current}`);
  const changelog = releasedChangelog(readFileSync("CHANGELOG.md", "utf8"), version, new Date());
  for (const file of FILES) writeFileSync(file, withVersion(readFileSync(file, "utf8"), file, current, version));
  writeFileSync("CHANGELOG.md", changelog);
  execFileSync(process.execPath, ["tests/older-data/record.ts", "--name", version], { stdio: "inherit" });
  git("add", "CHANGELOG.md", "tests/fixtures/older-data", ...FILES);
  git("commit", "-m", `release: version ${version}`);
  git("tag", "-a", `v${version}`, "-m", `Version ${version}`);
  console.log(`Committed and tagged v${version}. Publish with: git push --follow-tags`);
}

function withVersion(text: string, file: string, current: string, version: string): string {
  const own = /("name": "(?:atelier|@atelier\/(?:engine|server))",\s+"version": ")([^"]+)"/g;
  const changed = text.replaceAll(own, (_all, before: string) => `${before}${version}"`);
  if (changed === text) throw new Error(`${file} does not have version ${current}`);
  return changed;
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
