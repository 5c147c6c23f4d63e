/** Stack traces of user code, led back through its source maps to the files that were written. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const maps = new Map<string, SourceMap | null>();

/** "    at async handler (file:///…/x.js:12:5)" or "    at file:///…/x.js:12:5": who, where, line, column. */
const FRAME = /^\s+at (?:(.*) \()?(file:\/\/[^)\s]+?):(\d+):(\d+)\)?$/;

/** The frames inside `root`, as "handler (../convex/x.ts:1:2)". */
export function mapStack(stack: string, root: string): string[] {
  const prefix = `${pathToFileURL(root).href}/`;
  const frames: string[] = [];
  for (const line of stack.split("\n")) {
    const [, who, url, row, column] = FRAME.exec(line) ?? [];
    if (url === undefined || !url.startsWith(prefix)) continue;
    const origin = findOrigin(fileURLToPath(url), Number(row), Number(column)) ?? `../convex/${url.slice(prefix.length)}:${row}:${column}`;
    frames.push(`${who ?? "<anonymous>"} (${origin})`);
  }
  return frames;
}

/** Where a deployment keeps its code: DIR/modules, under the code's own checksum (`bundle.ts`). */
const CODE = /^(.*\/modules\/[0-9a-f]{32})\//;
const ANY_FRAME = /^\s+at .*(?:file:|node:|\()/;

/** A text in which errors may be shown with their stacks: only frames of user code are left in it, led back, and no path of this machine. */
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
  let map = maps.get(file);
  if (map === undefined) {
    map = null;
    if (existsSync(`${file}.map`)) {
      try {
        map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
      } catch {
        // A map that does not parse only costs the original line numbers.
      }
    }
    maps.set(file, map);
  }
  return map;
}
