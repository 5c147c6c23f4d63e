import { readFile } from "node:fs/promises";
import { notFound } from "./errors.ts";
import type { Reply } from "./reply.ts";
import type { Routes } from "./router.ts";

const FOLDER = new URL("../../../build/dashboard/", import.meta.url);

const TYPES: Record<string, string> = {
  "index.html": "text/html; charset=utf-8",
  "dashboard.js": "text/javascript; charset=utf-8",
  "dashboard.css": "text/css; charset=utf-8",
};

const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-cache",
};

/** Serves the dashboard's files, which contain no data: each of its requests needs the admin key. */
export function dashboardRoutes(): Routes {
  return {
    "GET /dashboard": () => fileReply("index.html"),
    "GET /dashboard/*": ({ rest }) => fileReply(rest),
  };
}

async function fileReply(name: string): Promise<Reply> {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) throw notFound(`The dashboard has no file ${JSON.stringify(name)}.`);
  const body = await readFile(new URL(name, FOLDER)).catch(() => null);
  if (body === null) throw notFound("The dashboard is not built. Run `npm run build`.");
  return { status: 200, headers: { ...HEADERS, "Content-Type": type }, body };
}
