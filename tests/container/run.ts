/** `npm run test:container [-- specs and options]`: builds the image with a container engine, then tests it and runs the suite in it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { buildImage } from "./build-image.ts";
import { containerEngine } from "./container-engine.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SUITE = ["tests/e2e", "tests/api"];
const chosen = process.argv.slice(2);

async function playwright(args: string[], env: Record<string, string>): Promise<boolean> {
  const child = spawn("playwright", ["test", ...args], { cwd: ROOT, env: { ...process.env, ...env }, stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code === 0;
}

try {
  const engine = await containerEngine();
  const image = process.env.CONTAINER_IMAGE ?? (await buildImage());
  const isSound = await playwright(["--config", "tests/container/playwright.config.ts"], { CONTAINER_IMAGE: image });
  const suite = await playwright(chosen.length > 0 ? chosen : SUITE, { TEST_CONTAINER: image, CONTAINER_ENGINE: engine });
  process.exitCode = isSound && suite ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
