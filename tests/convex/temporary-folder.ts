import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Names the folder for the data of deployments that processes reuse and never remove. */
export const FOLDER = "TEST_DEPLOYMENTS";

export default function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), "atelier-deployments-"));
  process.env[FOLDER] = folder;
  // Vitest ends its processes after teardowns.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
