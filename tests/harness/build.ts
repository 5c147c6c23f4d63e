import { ensureBuilt } from "../../server/build/ensure.ts";
import { PRELOADED, startApp } from "./app.ts";
import { setStartedData } from "./started-data.ts";

export default async function prepare(): Promise<() => Promise<void>> {
  await ensureBuilt();
  process.env[PRELOADED] = `--import=${new URL("preloads/fast-hash.js", import.meta.url)}`;
  const app = await startApp();
  await app.stop();
  setStartedData(app.dataDir);
  return () => app.dispose();
}
