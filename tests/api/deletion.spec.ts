import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { addPictures, makeDesign } from "../e2e/pictures.ts";
import { type RunningApp, startApp } from "../harness/app.ts";
import { type Person, signUp } from "../harness/people.ts";
import { storeOf } from "../harness/store.ts";
import { expect, test } from "./test.ts";

/** What of somebody is on this machine once their account is deleted, also where the machine failed meanwhile. */

let app: RunningApp;
let ada: Person;
test.beforeAll(async () => {
  app = await startApp();
});
test.afterAll(() => app.dispose());
test.beforeEach(async () => {
  ada = await signUp(app.url);
  const { designId } = await makeDesign(app, ada);
  const [imageId = ""] = await addPictures(app, ada, designId, ["fig"]);
  const shown = await fetch(`${app.url}/images/${imageId}?w=320`, { headers: { Cookie: ada.cookieHeader, Accept: "image/webp" } });
  expect([shown.status, shown.headers.get("Content-Type")]).toEqual([200, "image/webp"]);
  await shown.arrayBuffer();
  await expect.poll(copies).toBe(1);
});

async function deleteAccount(): Promise<void> {
  const answer = await fetch(`${app.url}/api/auth/delete-user`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: app.url, Cookie: ada.cookieHeader },
    body: JSON.stringify({ password: ada.password }),
  });
  expect(answer.status).toBe(200);
}

/** Files in a folder of the app's data. */
const filesIn = async (...path: string[]) =>
  (await readdir(join(app.dataDir, ...path), { recursive: true, withFileTypes: true })).filter((file) => file.isFile()).length;
const copies = () => filesIn("cache", "images");

test("the copies of their pictures go from the disk, too", async () => {
  await deleteAccount();
  await expect.poll(copies).toBe(0);
});

test("a deletion that SIGKILL interrupts goes on after the start, down to the last row and file", async () => {
  const store = await storeOf(app);
  // More than several batches take (`convex/accounts/removal.ts`).
  const dates = { expiresAt: Date.now() + 86_400_000, createdAt: 0, updatedAt: 0 };
  const rows = Array.from({ length: 600 }, (_, each) => ({ id: `${ada.id} ${each}`, identifier: `${ada.id} ${each}`, value: ada.id }));
  for (let from = 0; from < rows.length; from += 50)
    await Promise.all(rows.slice(from, from + 50).map((row) => store.create("verifications", { ...row, ...dates })));
  const left = async () => (await store.find("verifications", { value: ada.id })).length;
  expect(await left()).toBeGreaterThan(0);

  await deleteAccount();
  await app.kill();
  await app.start();
  expect(await store.find("users", { id: ada.id })).toEqual([]);
  await expect.poll(left).toBe(0);
  for (const table of ["sessions", "accounts"]) expect(await store.find(table, { userId: ada.id })).toEqual([]);
  await expect.poll(copies).toBe(0);
});
