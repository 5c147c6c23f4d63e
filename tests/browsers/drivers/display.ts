import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import sharp, { type Sharp } from "sharp";
import { findProgram, type Program } from "../../harness/programs.ts";

export const XVFB: Program = { variable: "XVFB_PATH", names: ["Xvfb"], debianPackage: "xvfb" };

export type Display = {
  name: string;
  capture(): Promise<Sharp>;
  close(): Promise<void>;
};

export async function openDisplay(width: number, height: number): Promise<Display> {
  const folder = await mkdtemp(join(tmpdir(), "atelier-display-"));
  const args = ["-displayfd", "1", "-screen", "0", `${width}x${height}x24`, "-fbdir", folder, "-nolisten", "tcp"];
  const server = spawn(findProgram(XVFB), args, { stdio: ["ignore", "pipe", "ignore"] });
  const [number]: string[] = await once(createInterface({ input: server.stdout }), "line");
  return {
    name: `:${number ?? ""}`,
    capture: async () => decodeXwd(await readFile(join(folder, "Xvfb_screen0"))),
    async close() {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill();
  await exited;
}

/** Decodes Xvfb's frame buffer file: an X window dump (X11/XWDFile.h) with 32 bits per pixel in the order BGRx. */
function decodeXwd(file: Buffer): Sharp {
  const field = (index: number) => file.readUInt32BE(index * 4);
  const [headerSize, width, height, bytesPerLine, colours] = [field(0), field(4), field(5), field(12), field(19)];
  const pixels = file.subarray(headerSize + colours * 12);
  const rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = y * bytesPerLine + x * 4;
      const to = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel++) rgb[to + channel] = pixels[from + 2 - channel] ?? 0;
    }
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}
