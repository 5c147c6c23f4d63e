import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppConfig } from "../../app/config.ts";
import { readConfig } from "../../server/config/config.ts";
import type { Backend } from "./backends.ts";
import { startTestDeployment } from "./deployment.ts";
import { embeddedOn } from "./embedded.ts";

export async function startAppBackend(): Promise<{ backend: Backend; config: AppConfig; folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "app-"));
  const deployment = await startTestDeployment();
  const { app } = await readConfig({ DATA_DIR: folder }, { production: true });
  return {
    backend: embeddedOn(deployment),
    config: { ...app, convexUrl: deployment.url, signingKey: deployment.signingKey },
    folder,
    async close() {
      await deployment.close();
      await rm(folder, { recursive: true });
    },
  };
}
