import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { openContents } from "@atelier/engine/contents";
import { loadBuild } from "../built.ts";
import { readConfig } from "../config/config.ts";
import { startEmbedded } from "../deployment/embedded.ts";
import { log } from "../logging/log.ts";

export type Pages = { problems: string[]; rendered: number };

type Page = { userId: string; path: string; content: string };

/** Number of projects, of designs and of images. With the lists of projects, at most 20 pages are rendered. */
const CHOSEN = 5;
const ANSWER_WITHIN_MS = 120_000;
/** Settings that would change how the copy is started. */
const OWN = { CONVEX_URL: "", CONVEX_SITE_URL: "", BACKUP_TO: "", ACCEPT_OLDER_DATABASE: "", MAKE_NEW_KEYS: "" };
const PORTS = { PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" };

export async function renderPages(dataDir: string, env: NodeJS.ProcessEnv): Promise<Pages> {
  const { server, app: settings } = await readConfig({ ...env, ...OWN, ...PORTS, DATA_DIR: dataDir }, { production: true });
  if (!server.engine) throw new Error("A backup can only be tested with the embedded deployment.");
  const pages = choosePages(server.engine.dir);
  const quiet = log.child({}, { level: "silent" });
  // The bucket of stored files belongs to the deployment, and the copy has the files that it shows.
  const embedded = await startEmbedded({ ...server.engine, fileBucket: null, scheduledFunctions: false, log: quiet });
  const build = await loadBuild();
  const config = { ...settings, convexUrl: embedded.url, smtpUrl: null, webhooks: false };
  const app = build.createApp(config, quiet);
  try {
    const problems: string[] = [];
    const origin = server.origins[0] ?? "http://localhost";
    const cookies = new Map<string, string>();
    for (const { userId, path, content } of pages) {
      const cookie = cookies.get(userId) ?? (await build.openSession(config, userId));
      cookies.set(userId, cookie);
      const request = new Request(new URL(path, origin), { headers: { Cookie: cookie }, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      const answer = await app.fetch(request, { clientAddress: "127.0.0.1" });
      const type = answer.headers.get("Content-Type") ?? "";
      const text = await answer.text();
      const route = path.replace(/\/[^/]+$/, "/…");
      if (answer.status !== 200) problems.push(`${route} answers ${answer.status} in the restored app.`);
      else if (!`${type}\n${text}`.includes(content)) problems.push(`${route} lacks its content in the restored app.`);
    }
    return { problems, rendered: pages.length };
  } finally {
    await app.close();
    await embedded.close();
  }
}

function choosePages(dir: string): Page[] {
  const contents = openContents(dir);
  const read = <T>(table: string, schema: z.ZodType<T>): T[] =>
    [...contents.rows(table)].flatMap((row) => (row["removedAt"] || row["purgingSince"] ? [] : [schema.parse(row)]));
  try {
    const users = new Set(read("users", userSchema).map(({ id }) => id));
    const projects = newest(read("projects", projectSchema).filter(({ ownerId }) => users.has(ownerId)));
    const owners = new Map(projects.map(({ _id, ownerId }) => [_id, ownerId]));
    const designs = newest(read("designs", designSchema).filter(({ projectId }) => owners.has(projectId)));
    const ownersOfDesigns = new Map(designs.map(({ _id, projectId }) => [_id, owners.get(projectId) ?? ""]));
    const stored = read("designImages", imageSchema).filter(({ designId }) => ownersOfDesigns.has(designId));
    const wanted = new Set(stored.map(({ storageId }) => storageId));
    const written = new Set<string>();
    for (const { id, name } of contents.files()) if (wanted.has(id) && existsSync(join(dir, "files", name))) written.add(id);
    const images = stored.filter(({ storageId }) => written.has(storageId));
    return [
      ...[...new Set(owners.values())].map((userId) => ({ userId, path: "/projects", content: "</html>" })),
      ...projects.map(({ _id, ownerId, name }) => ({ userId: ownerId, path: `/projects/${_id}`, content: escaped(name) })),
      ...designs.map(({ _id, name }) => ({ userId: ownersOfDesigns.get(_id) ?? "", path: `/design/${_id}`, content: escaped(name) })),
      ...images.slice(-CHOSEN).map(({ _id, designId }) => ({
        userId: ownersOfDesigns.get(designId) ?? "",
        path: `/images/${_id}?w=160`,
        content: "image/",
      })),
    ];
  } finally {
    contents.close();
  }
}

const userSchema = z.object({ id: z.string() });
const projectSchema = z.object({ _id: z.string(), ownerId: z.string(), name: z.string(), updatedAt: z.number() });
const designSchema = z.object({ _id: z.string(), projectId: z.string(), name: z.string(), updatedAt: z.number() });
const imageSchema = z.object({ _id: z.string(), designId: z.string(), storageId: z.string() });

const newest = <T extends { updatedAt: number }>(rows: T[]): T[] => rows.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, CHOSEN);

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? "&#x27;");
