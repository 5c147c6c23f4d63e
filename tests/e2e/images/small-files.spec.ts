import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { type ChosenFile, noise } from "../../fixtures/pictures.ts";
import { expect, hydrated, type Person, type RunningApp, signUp, test } from "../../harness/test.ts";
import { imagesIn, makeDesign } from "../support/pictures.ts";

const tray = (page: Page) => page.getByRole("region", { name: "Uploads" });
const numbered = (count: number): Promise<ChosenFile[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => noise(`${String(index).padStart(2, "0")}.png`, 20 + index, 20)));

test("adds many small files in few requests, in the order chosen", { tag: "@slow" }, async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  const files = await numbered(40);
  const text = { name: "text.png", mimeType: "image/png", buffer: Buffer.from("no picture") };
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().includes("/uploads")) requests.push(new URL(request.url()).pathname);
  });
  await page.goto(path);
  await hydrated(page);
  await page.getByLabel("Add images").setInputFiles([...files.slice(0, 20), text, ...files.slice(20)]);
  await expect(tray(page).getByRole("heading")).toHaveText("40 images added, 1 failed");
  await expect(tray(page).getByRole("alert").filter({ hasText: "Choose a" })).toHaveCount(1);
  expect(requests).toEqual(Array(3).fill("/uploads/batch"));
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(files.map(({ name }) => name));
});

test("adds each small file once when responses are lost", { tag: "@slow" }, async ({ page, app, person }) => {
  const { designId, path } = await makeDesign(app, person);
  const files = await numbered(20);
  let lost = 2;
  await page.route("**/uploads/batch?*", async (route) => {
    if (lost-- <= 0) return route.continue();
    await route.fetch();
    return route.abort("connectionreset");
  });
  await page.goto(path);
  await hydrated(page);
  await page.getByLabel("Add images").setInputFiles(files);
  await expect(tray(page).getByRole("heading")).toHaveText("20 images added");
  expect((await imagesIn(app, person, designId)).map(({ name }) => name)).toEqual(files.map(({ name }) => name));
});

type Part = { entry?: object | string; file?: ChosenFile };

async function sendBatch(app: RunningApp, person: Person | null, designId: string, parts: Part[]): Promise<Response> {
  const form = new FormData();
  for (const { entry } of parts) if (entry !== undefined) form.append("entry", typeof entry === "string" ? entry : JSON.stringify(entry));
  for (const { file } of parts) if (file) form.append("files", new File([new Uint8Array(file.buffer)], "file"));
  const headers = { Origin: app.url, ...(person && { Cookie: person.cookieHeader }) };
  return fetch(`${app.url}/uploads/batch?design=${designId}`, { method: "POST", body: form, headers, redirect: "manual" });
}

test("rejects malformed batches and those of other users", async ({ app, person }) => {
  const other = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const [file] = await numbered(1);
  if (!file) throw new Error("one file");
  const entry = { key: randomUUID(), name: "a.png", checksum: null, anyway: false, chosenAs: null };
  const statuses: [number, Part[]][] = [
    [400, [{ entry: "{", file }]],
    [400, [{ entry: { ...entry, key: "x" }, file }]],
    [400, [{ entry: { ...entry, chosenAs: { batch: "b", index: -1 } }, file }]],
    [400, [{ file }]],
    [400, [{ entry }]],
    [400, [{ entry, file }, { file }]],
    [400, Array.from({ length: 17 }, () => ({ entry, file }))],
  ];
  for (const [status, parts] of statuses) expect((await sendBatch(app, person, designId, parts)).status).toBe(status);
  expect((await sendBatch(app, null, designId, [{ entry, file }])).status).toBe(401);
  expect((await sendBatch(app, other, designId, [{ entry, file }])).status).toBe(404);
  expect(await imagesIn(app, person, designId)).toEqual([]);

  const damaged = await sendBatch(app, person, designId, [{ entry: { ...entry, checksum: "0".repeat(64) }, file }]);
  expect(await damaged.json()).toMatchObject({ outcomes: [{ ok: false, damaged: true }] });
  const large = { ...file, buffer: Buffer.alloc(33 * 1024) };
  const tooLarge = await sendBatch(app, person, designId, [{ entry, file: large }]);
  expect(await tooLarge.json()).toMatchObject({ outcomes: [{ ok: false, problem: "Too large (maximum 32.8 kB)" }] });
  const twice = await sendBatch(app, person, designId, [
    { entry, file },
    { entry, file },
  ]);
  const { outcomes } = await twice.json();
  expect(outcomes).toMatchObject([
    { ok: true, imageId: expect.any(String) },
    { ok: true, imageId: outcomes[0].imageId },
  ]);
  expect(await imagesIn(app, person, designId)).toHaveLength(1);
});
