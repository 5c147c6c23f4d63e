import { mkdtemp, readdir, readFile, utimes, copyFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { api } from "../convex/_generated/api.js";
import { addPictures, deploymentAs, makeDesign } from "./e2e/support/pictures.ts";
import { OLDER_DATA, type OlderData, RESUMED_FILE_TIME } from "./fixtures/older-data.ts";
import { picturePath } from "./fixtures/pictures.ts";
import { startApp } from "./harness/app.ts";
import { launchOptions } from "./harness/chromium.ts";
import { signUp } from "./harness/people.ts";
import { deploymentPidIn } from "./harness/processes.ts";
import { storeOf } from "./harness/store.ts";

/** `npm run older-data -- FOLDER`: records the data and browser profile of this build, killed with an unfinished purge, copy and upload. */

const IMAGES = 130;
const PARTIAL_BYTES = 40_000;

const [folder = ""] = process.argv.slice(2);
const app = await startApp({}, join(folder, "build/processes/main.js"));
const browser = await chromium.launch(await launchOptions());
try {
  const person = await signUp(app.url);
  const convex = await deploymentAs(app, person);
  const { designId } = await makeDesign(app, person);
  const [first = ""] = await addPictures(app, person, designId, [{ name: "dot.png", mimeType: "image/png", buffer: await dot() }]);
  for (let count = 1; count < IMAGES; count++) await convex.mutation(api.designImages.duplicate, { id: first });
  const { projectId } = await convex.query(api.designs.getDesignById, { id: designId });
  const purged = await convex.mutation(api.projects.duplicate, { id: projectId });
  const isCopied = async () => (await convex.query(api.projects.getProjectById, { id: purged })).imageCount === IMAGES;
  while (!(await isCopied())) await new Promise((resolve) => setTimeout(resolve, 200));
  await convex.mutation(api.projects.moveToTrash, { id: purged });
  await (await storeOf(app)).change("sessions", { userId: person.id }, { expiresAt: Date.UTC(2100, 0) });

  const context = await browser.newContext();
  await context.addCookies(person.cookies);
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

  const data: OlderData = {
    url: app.url,
    userId: person.id,
    projectId,
    designId,
    images: IMAGES,
    profile,
    files: Object.fromEntries((await filesIn(app.dataDir)).map(([path, bytes]) => [path, brotliCompressSync(bytes).toString("base64")])),
  };
  await writeFile(OLDER_DATA, JSON.stringify(data));
} finally {
  await browser.close();
  await app.dispose();
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

async function filesIn(dir: string): Promise<[path: string, bytes: Buffer][]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
  const kept = paths.filter((path) => !/(^|\/)(compiled|cache)\/|\.map$/.test(path));
  return Promise.all(kept.map(async (path): Promise<[string, Buffer]> => [path, await readFile(join(dir, path))]));
}
