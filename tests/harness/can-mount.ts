import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function canMount(): boolean {
  const trial = mkdtempSync(join(tmpdir(), "atelier-mount-"));
  try {
    execFileSync("mount", ["--bind", trial, trial], { stdio: "ignore" });
    execFileSync("umount", [trial]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}
