import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { administration, createApp, jwksUri, metricsText, serviceConvex } from "../app/server.ts";

/** What the server build exports (`app/server.ts`): all that this folder knows of the app. */
export type Build = {
  createApp: typeof createApp;
  jwksUri: typeof jwksUri;
  metricsText: typeof metricsText;
  serviceConvex: typeof serviceConvex;
  administration: typeof administration;
};

/** Where `npm run build` puts it. */
export const BUILD = fileURLToPath(new URL("../build/", import.meta.url));

/** The built app. React and its kin choose between their two builds by NODE_ENV at this moment. */
export async function loadBuild(): Promise<Build> {
  process.env.NODE_ENV = "production";
  const build: Build = await import(pathToFileURL(join(BUILD, "server/index.js")).href);
  return build;
}
