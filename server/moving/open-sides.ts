import { existsSync } from "node:fs";
import { join } from "node:path";
import { readAddress } from "@atelier/engine/address";
import { FILE_NAME } from "@atelier/engine/database-file";
import type { ServerConfig } from "../config/config.ts";
import { startEmbedded } from "../deployment/embedded.ts";
import { queryEnvironment, type Target } from "../deployment/push.ts";
import { log } from "../logging/log.ts";
import { MoveError } from "./move-error.ts";

export type MoveEndpoint = Target & { isEmbedded: boolean; close: () => Promise<void> };

type Engine = NonNullable<ServerConfig["engine"]>;

/** Opens the data in DATA_DIR: the running deployment, or one that is started for the command and runs no jobs. */
export async function openEmbeddedSource(engine: Engine): Promise<MoveEndpoint> {
  if (!existsSync(join(engine.dir, FILE_NAME))) throw new MoveError(`There is no data in ${engine.dir}. Set DATA_DIR to the app's folder.`);
  const url = await readAddress(engine.dir);
  const running = url === null ? null : { url, adminKey: engine.adminKey };
  if (running && (await responds(running))) return { ...running, isEmbedded: true, close: async () => {} };
  return startQuietly(engine);
}

export const openEmbeddedTarget = (engine: Engine): Promise<MoveEndpoint> => startQuietly(engine);

/** Throws for an address that does not respond, and for a wrong key. */
export async function openRemote(url: string, adminKey: string): Promise<MoveEndpoint> {
  const target = { url, adminKey };
  await queryEnvironment(target);
  return { ...target, isEmbedded: false, close: async () => {} };
}

const responds = (target: Target): Promise<boolean> =>
  queryEnvironment(target).then(
    () => true,
    () => false,
  );

async function startQuietly(engine: Engine): Promise<MoveEndpoint> {
  const embedded = await startEmbedded({ ...engine, scheduledFunctions: false, log: log.child({}, { level: "silent" }) });
  return { url: embedded.url, adminKey: engine.adminKey, isEmbedded: true, close: () => embedded.close() };
}
