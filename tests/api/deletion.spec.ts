import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { addPictures, makeDesign } from "../e2e/pictures.ts";
import { type RunningApp, startApp } from "../harness/app.ts";
import { type Person, signUp } from "../harness/people.ts";
import { type Store, storeOf } from "../harness/store.ts";
import { expect, test } from "./test.ts";

/** What of somebody is on this machine once their account is deleted, also where the machine failed meanwhile. */

let app: RunningApp;
let ada: Person;
/** What rows of hers say, if they say anything of her. */
let hers: string[];
test.beforeAll(async () => {
  app = await startApp();
});
test.afterAll(() => app.dispose());
test.beforeEach(somebodyNew);

async function somebodyNew() {
  ada = await signUp(app.url);
  const { designId } = await makeDesign(app, ada);
  const [imageId = ""] = await addPictures(app, ada, designId, ["fig"]);
  const shown = await fetch(`${app.url}/images/${imageId}?w=320`, { headers: { Cookie: ada.cookieHeader, Accept: "image/webp" } });
  expect([shown.status, shown.headers.get("Content-Type")]).toEqual([200, "image/webp"]);
  await shown.arrayBuffer();
  await expect.poll(copies).toBe(1);
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
  let left = await interrupted(store);
  // How far it came is the machine's business: one that was over by then has shown nothing.
  for (let more = 0; left === 0 && more < 4; more++) {
    await app.start();
    await somebodyNew();
    left = await interrupted(store);
  }
  expect(left).toBeGreaterThan(0);

  await app.start();
  expect(await store.find("users", { id: ada.id })).toEqual([]);
  await expect.poll(async () => (await store.find("verifications", { value: ada.id })).length).toBe(0);
  await expect.poll(copies).toBe(0);
  await expect.poll(() => filesIn("convex", "files")).toBe(0);
  await app.stop();
  expect(onDisk(hers)).toEqual([]);
});

/** Deletes an account to which more belongs than several batches take (`convex/accounts/removal.ts`), kills all of the app while it does, and says how much is left. */
async function interrupted(store: Store): Promise<number> {
  const dates = { expiresAt: Date.now() + 86_400_000, createdAt: 0, updatedAt: 0 };
  const rows = Array.from({ length: 600 }, (_, each) => ({ id: `${ada.id} ${each}`, identifier: `${ada.id} ${each}`, value: ada.id }));
  for (let from = 0; from < rows.length; from += 50)
    await Promise.all(rows.slice(from, from + 50).map((row) => store.create("verifications", { ...row, ...dates })));

  const deployment = Number(readFileSync(`/proc/${app.pid}/task/${app.pid}/children`, "utf8").trim());
  const answered = deleteAccount().catch(() => {});
  await expect.poll(() => store.find("users", { id: ada.id }), { intervals: [1] }).toEqual([]);
  // The deployment too: it would end by itself, and tidily.
  process.kill(deployment, "SIGKILL");
  await app.kill();
  await answered;
  return onDisk([ada.id]).length;
}

/** The documents that lie in the deployment's file while nothing runs, in whatever table, and say one of these; what is to be done is none of them. */
function onDisk(words: string[]): string[] {
  // Whom a SIGKILL has been sent to may still hold the file for a moment.
  const file = new DatabaseSync(join(app.dataDir, "convex", "deployment.sqlite3"), { readOnly: true, timeout: 60_000 });
  const rows = file.prepare("SELECT json FROM documents").all();
  file.close();
  return rows
    .map(({ json }) => String(json))
    .filter((json) => !json.includes('"scheduledTime"') && words.some((word) => json.includes(word)));
}
