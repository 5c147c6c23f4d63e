import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWaitingRoom } from "./waiting-room.server";

it("removes what ended processes left behind, and nothing of those that run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waiting-"));
  const ended = spawn("true");
  await once(ended, "exit");
  const running = process.ppid;
  for (const name of [`${ended.pid}-a`, `${process.pid}-b`, `${running}-c`, "stray"]) writeFileSync(join(folder, name), "x");
  const { newPath } = openWaitingRoom(folder);
  expect(readdirSync(folder)).toEqual([`${running}-c`]);
  expect(newPath()).toMatch(new RegExp(`/${process.pid}-[\\w-]{36}$`));
  rmSync(folder, { recursive: true });
});
