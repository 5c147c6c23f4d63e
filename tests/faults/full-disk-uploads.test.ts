/** Fills the disk during uploads. The disk is a small tmpfs, which only root can mount. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { DiskFull } from "../../app/lib/http/disk-full.server";
import { openPartialUploads } from "../../app/features/uploads/server/partial-uploads/partial-uploads.server";

const mountPoint = mkdtempSync(join(tmpdir(), "full-"));
const mounted = mount(mountPoint);
afterAll(() => {
  if (mounted) execFileSync("umount", ["--lazy", mountPoint]);
  rmSync(mountPoint, { recursive: true, force: true });
});

async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  for (let left = count; left > 0; left -= 65_536) yield new Uint8Array(Math.min(left, 65_536)).fill(7);
}

it.runIf(mounted)("keeps received chunks when the disk is full, and resumes when it has space", async () => {
  const partialUploads = openPartialUploads(join(mountPoint, "parts"), { margin: 0 });
  const values = { ownerId: "ada", designId: "d", name: "fig.jpg", checksum: null };
  const part = await partialUploads.create({ ...values, length: 3_000_000 });
  const ballast = join(mountPoint, "ballast");
  writeFileSync(ballast, Buffer.alloc(2_500_000));
  await expect(partialUploads.create({ ...values, length: 3_000_000 })).rejects.toThrow(DiskFull);
  await expect(partialUploads.append(part, 0, bytes(3_000_000))).rejects.toThrow(DiskFull);
  const reached = await partialUploads.offset(part);
  expect(reached).toBeGreaterThan(500_000);
  expect(reached).toBeLessThan(3_000_000);
  expect(partialUploads.find(part.id, "ada")).not.toBeNull();

  rmSync(ballast);
  expect(await partialUploads.append(part, reached, bytes(3_000_000 - reached))).toBe(3_000_000);
  await partialUploads.close();
});

function mount(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
