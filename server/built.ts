import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type {
  administration,
  checkServiceToken,
  createApp,
  jwksUri,
  metricsText,
  openSession,
  takeActivity,
  USER_TOKEN_SECONDS,
} from "../app/server.ts";

export type Build = {
  createApp: typeof createApp;
  jwksUri: typeof jwksUri;
  metricsText: typeof metricsText;
  openSession: typeof openSession;
  takeActivity: typeof takeActivity;
  checkServiceToken: typeof checkServiceToken;
  USER_TOKEN_SECONDS: typeof USER_TOKEN_SECONDS;
  administration: typeof administration;
};

export const BUILD = fileURLToPath(new URL("../build/", import.meta.url));

/** Imports the build after setting NODE_ENV, by which React chooses its own build. */
export async function loadBuild(): Promise<Build> {
  process.env.NODE_ENV = "production";
  const build: Build = await import(pathToFileURL(join(BUILD, "server/index.js")).href);
  return build;
}
