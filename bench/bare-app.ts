import { gzipSync } from "node:zlib";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { baseline, type Server } from "./deployment.ts";

const ROOT = join(import.meta.dirname, "bare");
const CLI = join(import.meta.dirname, "../node_modules/@react-router/dev/bin.cjs");

export async function startBareApp(): Promise<Server> {
  const build = join(import.meta.dirname, "../node_modules/.cache/bare-app");
  await promisify(execFile)(process.execPath, [CLI, "build"], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], NODE_ENV: "production", BARE_BUILD: build },
  });

  return baseline("bare-app-server", build);
}

export async function firstLoadScripts(
  url: string,
  headers: Record<string, string>,
  read: (path: string) => Promise<Uint8Array>,
): Promise<number> {
  const html = await (await fetch(url, { headers })).text();
  const preloaded = [
    ...[...html.matchAll(/<link [^>]*rel="modulepreload"[^>]*>/g)].map(([tag]) => /href="([^"]+)"/.exec(tag)?.[1]),
    ...[...html.matchAll(/const href of \[([^\]]*)\]/g)].flatMap(([, list = ""]) =>
      [...list.matchAll(/"([^"]+)"/g)].map(([, path]) => path),
    ),
  ];
  const imported = [...html.matchAll(/import(?:\s*\*\s*as\s+\w+\s+from)?\s*\(?"(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  const paths = new Set([...preloaded, ...imported].filter((path) => path !== undefined));
  let bytes = 0;
  for (const path of paths) bytes += gzipSync(await read(path), { level: 9 }).length;
  return bytes;
}
