import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const WITH_CODECS = ["app/features/{downloads,images/codecs,images/serve,uploads/server}/**"];
/** Replaced modules and a DOM reach later files of a process. The codecs restrict sharp for the whole process. */
const NEEDS_OWN_PROCESS = /\bvi\s*\.(?:mock|doMock|hoisted|resetModules)\b|@vitest-environment|from "sharp"/;

/** Returns the app's unit tests that share processes and loaded modules: loading them per file takes a third of their processor time. */
export const appTestsInSharedProcesses = (): string[] =>
  globSync("app/{features,lib}/**/*.test.{ts,tsx}", { cwd: ROOT, exclude: WITH_CODECS }).filter((path) => !needsOwnProcess(path));

export const needsOwnProcess = (path: string): boolean => NEEDS_OWN_PROCESS.test(readFileSync(ROOT + path, "utf8"));
