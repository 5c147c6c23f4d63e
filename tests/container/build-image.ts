import { fileURLToPath } from "node:url";
import { containerEngine, showEngine } from "./container-engine.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NAME = "localhost/atelier:test";

/** Builds the Dockerfile and returns the image's name. CONTAINER_BUILD_FLAGS: further flags of the engine, one per line. */
export async function buildImage(): Promise<string> {
  const isPodman = /podman/.test(await containerEngine());
  const flags = (process.env.CONTAINER_BUILD_FLAGS ?? "").split("\n").filter(Boolean);
  // The OCI format has no health check, which Podman builds by default.
  await showEngine(["build", ...(isPodman ? ["--format=docker"] : []), ...flags, `--tag=${NAME}`, ROOT]);
  return NAME;
}
