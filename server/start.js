// Plain JavaScript, so that an old Node prints the required version instead of failing on type annotations.
import { existsSync } from "node:fs";
import { installEarlyStop } from "./early-stop.js";

if (process.argv[2] === undefined || process.argv[2] === "dev") installEarlyStop();

const LEAST = [22, 22, 0];

/** @param {string} version */
function isOlder(version) {
  const parts = version.split(".").map(Number);
  for (let i = 0; i < LEAST.length; i++) if (parts[i] !== LEAST[i]) return parts[i] < LEAST[i];
  return false;
}

if (isOlder(process.versions.node)) {
  console.error(
    `Atelier needs Node ${LEAST.join(".")} or newer; this is Node ${process.versions.node}.\n` +
      "Start it with 'npm start': on 64-bit Linux, 'npm ci' installs the Node version that the app needs. Elsewhere install a newer Node from https://nodejs.org.",
  );
  process.exit(1);
}

if (existsSync(".env")) process.loadEnvFile(".env");

const BUNDLES = new URL("../build/processes/", import.meta.url);
/** @param {string} name */
const bundle = (name) => new URL(`${name}.js`, BUNDLES);

if (process.argv[2] !== undefined) await import("./compile-cache.ts");

if (process.argv[2] === "dev") {
  await import("./dev.ts");
} else if (process.argv[2] === "user") {
  await import("./commands/user.ts");
} else if (process.argv[2] === "links") {
  await import("./commands/links.ts");
} else if (process.argv[2] === "move") {
  await import("./commands/move.ts");
} else if (process.argv[2] === "setup:convex") {
  await import("./commands/setup-convex.ts");
} else {
  // The bundle starts faster, because Node loads no compiler for it.
  const { ensureBuilt } = await import(existsSync(bundle("ensure")) ? bundle("ensure").href : "./build/ensure.ts");
  await ensureBuilt();
  await import(bundle("main").href);
}
