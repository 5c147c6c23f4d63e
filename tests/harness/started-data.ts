import { cpSync } from "node:fs";

/** Names the data folder of an app that was started once. With a copy of it, an app's first start needs no push. */
const FOLDER = "TEST_STARTED_DATA";
/** Settings that need other data, or do not fit this deployment and its keys. */
const OTHER_DATA = ["DATA_DIR", "CONVEX_URL", "BETTER_AUTH_SECRET", "TOKEN_SIGNING_KEY"];

export function setStartedData(dataDir: string): void {
  process.env[FOLDER] = dataDir;
}

export function copyStartedData(dataDir: string, settings: Record<string, string>): void {
  const folder = process.env[FOLDER];
  if (folder !== undefined && !OTHER_DATA.some((name) => name in settings)) cpSync(folder, dataDir, { recursive: true });
}
