// What `npm start`, `npm run dev` and `npm run user` run first. Plain JavaScript that any Node can read, so that one too old is told what is needed
// instead of failing over the first type annotation.
import { existsSync } from "node:fs";

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
      "Start it with 'npm start': on 64-bit Linux 'npm ci' has installed a Node of its own for that. Elsewhere install a newer Node from https://nodejs.org.",
  );
  process.exit(1);
}

if (existsSync(".env")) process.loadEnvFile(".env");

if (process.argv[2] === "dev") {
  await import("./dev.ts");
} else if (process.argv[2] === "user") {
  await import("./user.ts");
} else {
  const { ensureBuilt } = await import("./build/ensure.ts");
  await ensureBuilt();
  await import("./main.ts");
}
