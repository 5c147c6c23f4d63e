import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withModuleName, requireActions } from "../bundles/analyze-module.ts";
import { functionsOf, type Exports } from "../bundles/read-modules.ts";
import type { AnalyzedFunction } from "../types.ts";
import { nodeStart, post } from "./node-channel.ts";

export type NodeAnalyzerData = { modules: string[] };
export type NodeAnalyzerAnswer = { ok: true; functions: AnalyzedFunction[] } | { ok: false; message: string };

async function analyze(): Promise<AnalyzedFunction[]> {
  const { code, data } = await nodeStart;
  const { modules } = data as NodeAnalyzerData;
  const functions: AnalyzedFunction[] = [];
  for (const path of modules) {
    const exports: Exports = await withModuleName(code.root, path, () => import(pathToFileURL(join(code.root, path)).href));
    const found = await withModuleName(code.root, path, async () => functionsOf(path, exports));
    requireActions(path, exports, found);
    functions.push(...found);
  }
  return functions;
}

process.on("unhandledRejection", () => undefined);
const answer = (message: NodeAnalyzerAnswer): void => post(message);
analyze().then(
  (functions) => answer({ ok: true, functions }),
  (error: unknown) => answer({ ok: false, message: error instanceof Error ? error.message : String(error) }),
);
