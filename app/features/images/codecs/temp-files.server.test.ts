import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTempFiles } from "./temp-files.server";

it("removes files of ended processes and keeps those of running ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waiting-"));
  const ended = spawn("true");
  await once(ended, "exit");
  const running = process.ppid;
  for (const name of [`${ended.pid}-a`, `${process.pid}-b`, `${running}-c`, "stray"]) writeFileSync(join(folder, name), "x");
  const { newPath, swept } = openTempFiles(folder);
  await swept;
  expect(readdirSync(folder)).toEqual([`${running}-c`]);
  expect(newPath()).toMatch(new RegExp(`/${process.pid}-[\\w-]{73}$`));
  rmSync(folder, { recursive: true });
});
