import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../convex/_generated/api.js";
import { ensureBuilt } from "../../server/build/ensure.ts";
import { ARTIFACT, push, readArtifact } from "../../server/deployment/push.ts";
import { addPictures, deploymentAs, makeDesign } from "../e2e/support/pictures.ts";
import { picturePath } from "../fixtures/pictures.ts";
import { startApp } from "../harness/app.ts";
import { launchOptions } from "../harness/chromium.ts";
import { embeddedTarget } from "../harness/move.ts";
import { deploymentPidIn } from "../harness/processes.ts";
import { startMailbox } from "../harness/services/mailbox.ts";
import { startSocialServer } from "../harness/services/oidc.ts";
import { RESUMED_FILE_TIME, TRASHED_PROJECT, writeOlderData } from "./older-data.ts";
import { olderMember, recordAccounts } from "./record-accounts.ts";

/** `npm run older-data -- [FOLDER] [--name NAME]`: records data of this build or of the build in FOLDER (tests/README.md). */

const IMAGES = 130;
const PARTIAL_BYTES = 40_000;
const FAR = Date.UTC(2100, 0);
const KEEP_IN_TRASH = `
export const keepInTrash = Object.assign(() => {}, {
  isMutation: true, isPublic: true, isRegistered: true,
  exportArgs: () => '{"type":"any"}', exportReturns: () => '{"type":"any"}',
  invokeMutation: async (args) => {
    const [{ id, removedAt }] = JSON.parse(args);
    await Convex.asyncSyscall("1.0/shallowMerge", JSON.stringify({ id, value: { removedAt } }));
    return "null";
  },
});
`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { name: { type: "string" } } });
const folder = resolve(positionals[0] ?? ".");
const name = values.name ?? nameOf(folder);
if (positionals[0] === undefined) await ensureBuilt();
const social = await startSocialServer();
const mailbox = await startMailbox();
// The second path is that of versions before November 2026.
const main = ["build/processes/main.js", "server/main.ts"].map((path) => join(folder, path)).find((path) => existsSync(path));
const app = await startApp({ ...social.settings, SMTP_URL: mailbox.url }, main);
const browser = await chromium.launch(await launchOptions());
try {
  const accounts = await recordAccounts(app, social, mailbox);
  const owner = await olderMember(app);
  const person = { ...owner, cookies: [], cookieHeader: owner.program.cookieHeader };
  const convex = await deploymentAs(app, person);
  const { designId } = await makeDesign(app, person);
  const [first = ""] = await addPictures(app, person, designId, [{ name: "dot.png", mimeType: "image/png", buffer: await dot() }]);
  for (let count = 1; count < IMAGES; count++) await convex.mutation(api.designImages.duplicate, { id: first });
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const purged = await convex.mutation(api.projects.duplicate, { id: projectId });
  const isCopied = async () => (await convex.query(api.projects.getProjectById, { id: purged })).imageCount === IMAGES;
  while (!(await isCopied())) await new Promise((resolve) => setTimeout(resolve, 200));
  await convex.mutation(api.projects.moveToTrash, { id: purged });
  const trashed = await convex.mutation(api.projects.create, { name: TRASHED_PROJECT });
  await convex.mutation(api.projects.moveToTrash, { id: trashed });
  await keepInTrash(trashed);

  const context = await browser.newContext();
  await context.addCookies(
    [...owner.program.cookies].map(([cookie, value]) => ({ name: cookie, value, url: app.url, httpOnly: true, sameSite: "Lax" as const })),
  );
  const page = await context.newPage();
  await page.goto(`${app.url}/design/${designId}`);
  await page.waitForLoadState("networkidle");
  const isPartial = Promise.withResolvers<void>();
  await page.route("**/uploads/*", async (route) => {
    const request = route.request();
    if (request.method() !== "PATCH") return route.continue();
    const { "upload-checksum": _, "content-length": __, ...headers } = await request.allHeaders();
    await fetch(request.url(), { method: "PATCH", headers: ownHeaders(headers), body: bytesOfFile.subarray(0, PARTIAL_BYTES) });
    isPartial.resolve();
  });
  const file = join(await mkdtemp(join(tmpdir(), "atelier-record-")), "path.jpg");
  await copyFile(picturePath("path"), file);
  await utimes(file, RESUMED_FILE_TIME, RESUMED_FILE_TIME);
  const bytesOfFile = new Uint8Array(await readFile(file));
  await page.getByLabel("Add images").setInputFiles(file);
  await isPartial.promise;
  const profile = await context.storageState();

  await Promise.all([convex.mutation(api.trash.purge, { id: purged }), convex.mutation(api.projects.duplicate, { id: projectId })]);
  // Kills the deployment first, because it would continue the jobs.
  process.kill(deploymentPidIn(app.output()), "SIGKILL");
  await app.kill();

  const path = await writeOlderData(name, {
    userId: owner.id,
    projectId,
    designId,
    images: IMAGES,
    profile,
    accounts,
    files: new Map(await filesIn(app.dataDir)),
  });
  console.log(`Recorded ${relative(".", path)}`);
} finally {
  await browser.close();
  await app.dispose();
  await Promise.all([social.close(), mailbox.close()]);
}

/** Returns the version, with the commit if it is no release. */
function nameOf(checkout: string): string {
  const git = (...args: string[]) => execFileSync("git", ["-C", checkout, ...args], { encoding: "utf8" }).trim();
  const { version }: { version: string } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
  return git("tag", "--points-at", "HEAD").split("\n").includes(`v${version}`)
    ? version
    : `${version}-${git("rev-parse", "--short", "HEAD")}`;
}

/** Prevents that the trash expires before a later version opens it. The build gets a function for this, and loses it again. */
async function keepInTrash(id: string): Promise<void> {
  const target = await embeddedTarget(app);
  const artifact = readArtifact(await readFile(join(folder, "build", ARTIFACT), "utf8"));
  const changedModules = artifact.appDefinition.changedModules.map((module) =>
    module.path === "projects.js" ? { ...module, source: module.source + KEEP_IN_TRASH, sourceMap: undefined } : module,
  );
  await push(target, { ...artifact, appDefinition: { ...artifact.appDefinition, changedModules } });
  const answer = await fetch(`${target.url}/api/mutation`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Convex ${target.adminKey}` },
    body: JSON.stringify({ path: "projects:keepInTrash", args: { id, removedAt: FAR }, format: "json" }),
  });
  const result: { status: string } = await answer.json();
  if (result.status !== "success") throw new Error(`projects:keepInTrash answered ${JSON.stringify(result)}`);
  await push(target, artifact);
}

function ownHeaders(headers: Record<string, string>): Record<string, string> {
  const isHops = (name: string) => name.startsWith(":") || name === "host" || name === "connection";
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isHops(name)));
}

function dot(): Promise<Buffer> {
  return sharp({ create: { width: 3, height: 2, channels: 3, background: "#357" } })
    .png()
    .toBuffer();
}

async function filesIn(dir: string): Promise<[path: string, bytes: Uint8Array][]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
  const kept = paths.filter((path) => !/(^|\/)(compiled|cache)\/|\.map$/.test(path));
  return Promise.all(kept.map(async (path): Promise<[string, Uint8Array]> => [path, new Uint8Array(await readFile(join(dir, path)))]));
}
