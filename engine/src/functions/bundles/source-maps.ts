import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LRUCache } from "lru-cache";

const REMEMBERED = 50;
export const sourceMaps = new LRUCache<string, { map: SourceMap | null }>({ max: REMEMBERED });

/** "    at async handler (file:///…/x.js:12:5)" or "    at file:///…/x.js:12:5" */
const FRAME = /^\s+at (?:(.*) \()?(file:\/\/[^)\s]+?):(\d+):(\d+)\)?$/;

export function mapStack(stack: string, root: string): string[] {
  const prefix = `${pathToFileURL(root).href}/`;
  const frames: string[] = [];
  for (const line of stack.split("\n")) {
    const [, functionName, url, row, column] = FRAME.exec(line) ?? [];
    if (url === undefined || !url.startsWith(prefix)) continue;
    const origin =
      findOrigin(fileURLToPath(url), Number(row), Number(column)) ?? `../../convex/${url.slice(prefix.length)}:${row}:${column}`;
    frames.push(`${functionName ?? "<anonymous>"} (${origin})`);
  }
  return frames;
}

const CODE = /^(.*\/modules\/[0-9a-f]{32})\//;
const ANY_FRAME = /^\s+at .*(?:file:|node:|\()/;

/** Removes other frames, so that no path of this machine is shown. */
export function withMappedStacks(text: string): string {
  if (!text.includes("\n")) return text;
  return text
    .split("\n")
    .flatMap((line) => {
      if (!ANY_FRAME.test(line)) return [line];
      const [, , url = ""] = FRAME.exec(line) ?? [];
      const [, root] = CODE.exec(url) ?? [];
      return root === undefined ? [] : mapStack(line, fileURLToPath(root)).map((frame) => `    at ${frame}`);
    })
    .join("\n");
}

function findOrigin(file: string, row: number, column: number): string | null {
  const entry = sourceMapOf(file)?.findEntry(row - 1, column - 1);
  if (!entry || !("originalSource" in entry) || entry.originalSource === undefined) return null;
  return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function sourceMapOf(file: string): SourceMap | null {
  const cached = sourceMaps.get(file);
  if (cached) return cached.map;
  let map: SourceMap | null = null;
  if (existsSync(`${file}.map`)) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
    } catch {
      // Only the original line numbers are missing.
    }
  }
  sourceMaps.set(file, { map });
  return map;
}
