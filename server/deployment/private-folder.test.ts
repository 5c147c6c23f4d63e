import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { log } from "../logging/log.ts";
import { protectFolder } from "./private-folder.ts";

log.level = "silent";

let outside: string;
let folder: string;
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), "private-"));
  folder = join(outside, "data");
  mkdirSync(join(folder, "cache/images/ab"), { recursive: true });
  writeFileSync(join(folder, "cache/images/ab/x.webp"), "x");
  writeFileSync(join(folder, "note"), "x");
  writeFileSync(join(outside, "foreign"), "x");
  symlinkSync(join(outside, "foreign"), join(folder, "link"));
  for (const path of ["", "cache", "cache/images", "cache/images/ab"]) chmodSync(join(folder, path), 0o755);
  for (const path of ["cache/images/ab/x.webp", "note", "../foreign"]) chmodSync(join(folder, path), 0o644);
});
afterEach(() => rmSync(outside, { recursive: true }));

const mode = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);
const modes = () =>
  Object.fromEntries(
    ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].filter((path) => path !== "link").map((path) => [path, mode(path)]),
  );
const PRIVATE = { "": "700", cache: "700", "cache/images": "700", "cache/images/ab": "700", "cache/images/ab/x.webp": "600", note: "600" };

it("removes other users' access to a folder at once, and to its contents", async () => {
  const contents = protectFolder(folder, log);
  expect(mode("")).toBe("700");
  expect(await contents).toBe(5);
  expect(modes()).toEqual(PRIVATE);
  expect(mode("../foreign")).toBe("644");
});

it("checks the contents of a private folder with an accessible entry", async () => {
  chmodSync(folder, 0o700);
  await protectFolder(folder, log);
  expect(modes()).toEqual(PRIVATE);
});

it("changes nothing in a private folder", async () => {
  await protectFolder(folder, log);
  expect(await protectFolder(folder, log)).toBe(0);
});
