import { execFile } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium, type LaunchOptions } from "@playwright/test";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/chromium");
const SYSTEM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/usr/bin/google-chrome-stable"];

/** Chromium crashes when this folder is full. A container has 64 MB by default. */
const SHARED_MEMORY = "/dev/shm";
const SHARED_MEMORY_MIN_BYTES = 2 ** 30;

const IS_PACKAGED = process.platform === "linux" && process.arch === "x64";

const SAME_TEXT = ["--font-render-hinting=none", "--disable-lcd-text"];
const ONLY_LOOPBACK = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]";

/** Returns Chromium from CHROMIUM_PATH, the npm package (the baselines' version, needs 40% less CPU time), Playwright or the system. */
export async function launchOptions(): Promise<LaunchOptions> {
  // Chromium's sandbox does not start as root, as in containers and CI.
  const args = [...SAME_TEXT, ONLY_LOOPBACK, "--no-sandbox"];
  // By this default of Playwright, shared memory is on the disk, and pages stop for up to 0.6 s while files are written.
  const ignoreDefaultArgs = hasSharedMemory() ? ["--disable-dev-shm-usage"] : [];
  const options = { args, ignoreDefaultArgs };
  const path = process.env.CHROMIUM_PATH;
  if (path) return { ...options, executablePath: path };
  if (IS_PACKAGED) return { ...options, ...(await packaged()) };
  const found = [chromium.executablePath(), ...SYSTEM].find(existsSync);
  return { ...options, ...(found && { executablePath: found }) };
}

function hasSharedMemory(): boolean {
  if (!existsSync(SHARED_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(SHARED_MEMORY);
  return bavail * bsize >= SHARED_MEMORY_MIN_BYTES;
}

/** Unpacks @sparticuz/chromium once. Its own unpacking races between two processes; a rename does not. */
async function packaged(): Promise<LaunchOptions> {
  const bin = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "../bin");
  const { version } = JSON.parse(await readFile(join(bin, "../package.json"), "utf8"));
  const dir = join(CACHE, String(version));
  if (!existsSync(dir)) {
    await mkdir(CACHE, { recursive: true });
    const unpacked = await mkdtemp(join(CACHE, "unpacking-"));
    await unpack(bin, unpacked, dir);
    await rename(unpacked, dir).catch(async (error: unknown) => {
      await rm(unpacked, { recursive: true });
      if (!existsSync(dir)) throw error;
    });
  }
  const env = { ...process.env, LD_LIBRARY_PATH: join(dir, "al2023/lib"), FONTCONFIG_FILE: join(dir, "fonts.conf") };
  return { executablePath: join(dir, "chromium"), env };
}

async function unpack(bin: string, dir: string, final: string): Promise<void> {
  const script = `
    const { inflate } = await import("@sparticuz/chromium");
    for (const file of process.argv.slice(1)) await inflate(file);
  `;
  const files = (await readdir(bin)).filter((name) => name.endsWith(".br")).map((name) => join(bin, name));
  await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, ...files], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: dir },
  });
  // Chromium crashes without the folders that its font configuration names.
  await writeFile(join(dir, "fonts.conf"), fontConfig(final));
}

const fontConfig = (dir: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${dir}/fonts/fonts</dir>
  <cachedir>${dir}/fontconfig</cachedir>
  <match target="font">
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
`;
