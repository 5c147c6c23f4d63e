import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { api } from "../../convex/_generated/api.js";
import { addPictures, chosen, deploymentAs, makeDesign } from "../e2e/support/pictures.ts";
import { type RunningApp, startApp } from "../harness/app.ts";
import { type Person, signUp } from "../harness/people.ts";
import { type Store, storeOf } from "../harness/store.ts";
import { expect, test } from "./support/test.ts";

let app: RunningApp;
let ada: Person;
let hers: string[];
test.beforeAll(async () => {
  app = await startApp();
});
test.afterAll(() => app.dispose());
test.beforeEach(newUser);

async function newUser() {
  ada = await signUp(app.url);
  const { designId } = await makeDesign(app, ada);
  const [imageId = ""] = await addPictures(app, ada, designId, ["fig"]);
  const view = async () => {
    const shown = await fetch(`${app.url}/images/${imageId}?w=320`, { headers: { Cookie: ada.cookieHeader, Accept: "image/webp" } });
    expect([shown.status, shown.headers.get("Content-Type")]).toEqual([200, "image/webp"]);
    await shown.arrayBuffer();
    return copies();
  };
  await expect.poll(view).toBe(1);
  expect(await filesIn("convex", "files")).toBeGreaterThan(0);
  hers = [ada.id, ada.email, designId, imageId];
}

async function deleteAccount(): Promise<void> {
  const answer = await fetch(`${app.url}/api/auth/delete-user`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, Cookie: ada.cookieHeader },
    body: JSON.stringify({ password: ada.password }),
  });
  expect(answer.status).toBe(200);
}

const filesIn = async (...path: string[]) =>
  (await readdir(join(app.dataDir, ...path), { recursive: true, withFileTypes: true })).filter((file) => file.isFile()).length;
const copies = () => filesIn("cache", "images");

test("deletes the cached copies of a deleted user's pictures", async () => {
  await deleteAccount();
  await expect.poll(copies).toBe(0);
});

test("no file contains any text of a deleted account a minute later", { tag: "@slow" }, async () => {
  const mark = `qz${randomBytes(8).toString("hex")}`;
  const person = await signUp(app.url, `Ada ${mark}`, `${mark}@example.com`);
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: `Project ${mark}` });
  await convex.mutation(api.projects.rename, { id: projectId, name: `Magazine ${mark}` });
  const designId = await convex.mutation(api.designs.create, { projectId, name: `Cover ${mark}` });
  await convex.mutation(api.designs.setDescription, { id: designId, description: `About ${mark}` });
  await convex.mutation(api.tags.tagDesign, { id: designId, tag: `tag${mark}` });
  const { buffer } = await chosen("fig");
  const [imageId = ""] = await addPictures(app, person, designId, [{ name: `${mark}.jpg`, mimeType: "image/jpeg", buffer }]);
  await convex.mutation(api.tags.tagImage, { id: imageId, tag: `other${mark}` });
  await convex.mutation(api.designImages.rename, { id: imageId, name: `Renamed ${mark}` });
  await convex.mutation(api.designImages.setCaption, { id: imageId, caption: `Seen by ${mark}` });
  await upload(person, designId, `${mark}.jpg`, buffer.subarray(0, 10), buffer.length);
  const finished = await upload(person, designId, "again.jpg", buffer, buffer.length);
  expect((await fetch(`${app.url}${finished}/finish`, { method: "POST", headers: headersOf(person) })).status).toBe(200);
  const eve = await signUp(app.url);
  const { designId: hersToo } = await makeDesign(app, eve);
  await upload(eve, hersToo, "eve.jpg", buffer.subarray(0, 10), buffer.length);
  expect(filesWith(mark)).not.toEqual([]);
  expect(uploadsWith(person.id)).toHaveLength(2);

  await deleteAccount();
  ada = person;
  await deleteAccount();
  await expect.poll(() => filesWith(mark), { timeout: 60_000 }).toEqual([]);
  await expect.poll(() => uploadsWith(person.id), { timeout: 30_000 }).toEqual([]);
  expect(uploadsWith(eve.id)).toHaveLength(1);
  await app.stop();
  expect(filesWith(mark)).toEqual([]);
  await app.start();
});

test("resumes an account deletion after SIGKILL, down to the last row and file", { tag: "@slow" }, async () => {
  const store = await storeOf(app);
  let left = await interrupted(store);
  for (let more = 0; left === 0 && more < 4; more++) {
    await app.start();
    await newUser();
    left = await interrupted(store);
  }
  expect(left).toBeGreaterThan(0);

  await app.start();
  expect(await store.find("users", { id: ada.id })).toEqual([]);
  const soon = { timeout: 120_000 };
  await expect.poll(async () => (await store.find("verifications", { value: ada.id })).length, soon).toBe(0);
  await expect.poll(copies, soon).toBe(0);
  await expect.poll(() => filesIn("convex", "files"), soon).toBe(0);
  await app.stop();
  expect(onDisk(hers)).toEqual([]);
});

function filesWith(mark: string): string[] {
  return readdirSync(app.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => existsSync(path) && (path.includes(mark) || readFileSync(path).includes(mark)));
}

const headersOf = (person: Person) => ({ Cookie: person.cookieHeader, Origin: app.url, "Tus-Resumable": "1.0.0" });

async function upload(person: Person, designId: string, name: string, bytes: Buffer, length: number): Promise<string> {
  const metadata = Object.entries({ design: designId, filename: name }).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`,
  );
  const announced = { "Upload-Length": `${length}`, "Upload-Metadata": metadata.join(",") };
  const created = await fetch(`${app.url}/uploads`, { method: "POST", headers: { ...headersOf(person), ...announced } });
  const path = created.headers.get("Location") ?? "";
  const headers = { ...headersOf(person), "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" };
  const sent = await fetch(`${app.url}${path}`, { method: "PATCH", headers, body: new Uint8Array(bytes) });
  expect([created.status, sent.status]).toEqual([201, 204]);
  return path;
}

const uploadsWith = (userId: string) => filesWith(userId).filter((path) => path.startsWith(join(app.dataDir, "parts")));

async function interrupted(store: Store): Promise<number> {
  const dates = { expiresAt: Date.now() + 86_400_000, createdAt: 0, updatedAt: 0 };
  const rows = Array.from({ length: 600 }, (_, each) => ({ id: `${ada.id} ${each}`, identifier: `${ada.id} ${each}`, value: ada.id }));
  for (let from = 0; from < rows.length; from += 50)
    await Promise.all(rows.slice(from, from + 50).map((row) => store.create("verifications", { ...row, ...dates })));

  const deployment = Number(readFileSync(`/proc/${app.pid}/task/${app.pid}/children`, "utf8").trim());
  const answered = deleteAccount().catch(() => {});
  await expect.poll(() => store.find("users", { id: ada.id }), { intervals: [1] }).toEqual([]);
  // The orphaned deployment would otherwise exit cleanly.
  process.kill(deployment, "SIGKILL");
  await app.kill();
  await answered;
  return onDisk([ada.id]).length;
}

function onDisk(words: string[]): string[] {
  const file = new DatabaseSync(join(app.dataDir, "convex", "deployment.sqlite3"), { readOnly: true, timeout: 60_000 });
  const rows = file.prepare("SELECT json FROM documents").all();
  file.close();
  return rows.map(({ json }) => String(json)).filter((json) => !isTemporary(json) && words.some((word) => json.includes(word)));
}

/** Scheduled functions and revocations, which have ids only, and are deleted within two hours. */
const isTemporary = (json: string) => ['"scheduledTime":', '"rows":['].some((field) => json.includes(field));
