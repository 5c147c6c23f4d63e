import { execFileSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chownSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { APP_USER } from "../harness/app.ts";
import { api } from "../../convex/_generated/api.js";
import { withAndWithoutJavaScript, expect, openBrowser, signUp, test } from "../harness/test.ts";
import { pageActions } from "../e2e/support/page-actions.ts";
import { deploymentAs, imagesIn, makeDesign, send } from "../e2e/support/pictures.ts";

const DISK_FULL_TEXT = "The server's disk is full, so nothing was saved. Try again later.";

/** A tmpfs as the disk; only root can mount one. Not mounted at import, as the file is also loaded to list its tests. */
let disk = "";
let mounted = false;
test.beforeAll(() => {
  disk = mkdtempSync(join(tmpdir(), "atelier-disk-"));
  mounted = mount(disk);
});
test.afterAll(() => {
  if (mounted) execFileSync("umount", ["--lazy", disk]);
  rmSync(disk, { recursive: true, force: true });
});

test("answers 507 to uploads while the disk is full, and recovers without a restart", async ({ launch }) => {
  test.skip(!mounted, "tmpfs can be mounted by root only");
  const app = await launch({ DATA_DIR: disk });
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const side = 1200;
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  const picture = { name: "noise.png", mimeType: "image/png", buffer: await noise.png().toBuffer() };
  const size = picture.buffer.length;

  for (const room of [size * 0.5, size * 1.5]) {
    fillDisk(room);
    const answer = await send(app, person, designId, [picture, picture]);
    expect([room, answer.status]).toEqual([room, 507]);
    await answer.text();
  }
  fillDisk(0);
  const tiny = {
    name: "tiny.png",
    mimeType: "image/png",
    buffer: await sharp({ create: { width: 1, height: 1, channels: 3, background: "#000" } })
      .png()
      .toBuffer(),
  };
  let added = 0;
  await expect
    .poll(async () => {
      fillDisk(0);
      const answer = await send(app, person, designId, [tiny]);
      if (answer.status === 200) added++;
      await answer.text();
      return answer.status;
    })
    .toBe(507);
  expect(app.output()).not.toMatch(/"from":"deployment","msg":"\s+at /);
  const metadata = `design ${Buffer.from(designId).toString("base64")},filename ${Buffer.from("noise.png").toString("base64")}`;
  const resumable = await fetch(`${app.url}/uploads`, {
    method: "POST",
    headers: {
      Origin: app.url,
      Cookie: person.cookieHeader,
      "Tus-Resumable": "1.0.0",
      "Upload-Length": String(size),
      "Upload-Metadata": metadata,
    },
  });
  expect(resumable.status).toBe(507);
  expect((await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } })).status).toBe(200);

  rmSync(ballast());
  const answer = await send(app, person, designId, [picture]);
  expect(await answer.json()).toMatchObject({ results: [{ name: "noise.png", ok: true }] });
  expect(await imagesIn(app, person, designId)).toHaveLength(1 + added);
});

withAndWithoutJavaScript((javaScript) => {
  test("names the full disk in forms of projects and accounts", async ({ launch, browser }) => {
    test.skip(!mounted, "tmpfs can be mounted by root only");
    const app = await launch({ DATA_DIR: join(disk, `forms-${javaScript}`) });
    const person = await signUp(app.url);
    const page = await openBrowser(browser, app, person);
    const actions = pageActions(page, javaScript);
    await actions.open("/projects");
    const convex = await deploymentAs(app, person);
    const id = await convex.mutation(api.projects.create, { name: "Nightfall" });
    fillDisk(0);
    let favourite = false;
    const reason = async () => {
      favourite = !favourite;
      return convex.mutation(api.projects.setFavourite, { id, favourite }).then(() => "", String);
    };
    await expect.poll(reason, { intervals: [10] }).toContain("InsufficientStorage");

    await actions.create("project", "Daybreak");
    await expect(page.getByText(DISK_FULL_TEXT)).toBeVisible();
    await expect(page.getByRole("dialog", { name: "New project" }).getByLabel("Name")).toHaveValue("Daybreak");

    const visitor = await openBrowser(browser, app);
    await pageActions(visitor, javaScript).open("/sign-up");
    await visitor.getByLabel("Name", { exact: true }).fill("Grace");
    await visitor.getByLabel("Email").fill(`${randomUUID()}@example.com`);
    await visitor.getByLabel("Password", { exact: true }).fill(`correct horse ${randomUUID()}`);
    await visitor.getByRole("button", { name: "Create account" }).click();
    await expect(visitor.getByText(DISK_FULL_TEXT)).toBeVisible();
    rmSync(ballast());
  });
});

test("reports a full disk when it cannot start", async ({ launch }) => {
  test.skip(!mounted, "tmpfs can be mounted by root only");
  const refused: number[] = [];
  for (const kib of [0, 64, 512, 65_536]) {
    fillDisk(kib * 1024);
    const started = await launch({ DATA_DIR: join(disk, `start-${kib}`) }).catch((error: unknown) => String(error));
    if (typeof started !== "string") continue;
    refused.push(kib);
    expect(started).toMatch(/disk (of \S+ )?is full/i);
    expect(started).not.toMatch(/\n\s+at /);
  }
  expect(refused).toEqual([0, 64, 512]);
});

const ballast = () => join(disk, "ballast");

function fillDisk(freeBytes: number): void {
  rmSync(ballast(), { force: true });
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(ballast(), Buffer.alloc(Math.max(0, Math.floor(bavail * bsize - freeBytes))));
  } catch (error) {
    if (freeBytes > 0) throw error;
  }
}

function mount(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256m,mode=700", "tmpfs", folder], { stdio: "ignore" });
    if (APP_USER.uid !== undefined) chownSync(folder, APP_USER.uid, APP_USER.gid);
    return true;
  } catch {
    return false;
  }
}
