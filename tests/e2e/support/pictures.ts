import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Page } from "@playwright/test";
import { ConvexHttpClient } from "convex/browser";
import sharp from "sharp";
import { retryConflicts } from "../../../app/lib/data/write-conflicts.ts";
import { api } from "../../../convex/_generated/api.js";
import type { Id } from "../../../convex/_generated/dataModel.d.ts";
import { type ChosenFile, type PictureName, picturePath } from "../../fixtures/pictures.ts";
import { expect, hydrated, type Person, type RunningApp } from "../../harness/test.ts";

type Addresses = Pick<RunningApp, "url" | "deployment">;

export async function deploymentAs(app: Addresses, person: Person): Promise<ConvexHttpClient> {
  return (await clientsOf(app, person))();
}

export async function clientsOf(app: Addresses, person: Person): Promise<() => ConvexHttpClient> {
  const answer = await fetch(`${app.url}/api/auth/convex/token`, { headers: { Cookie: person.cookieHeader } });
  const { token } = await answer.json();
  return () => new ConvexHttpClient(app.deployment.url, { auth: String(token), logger: false, fetch: retryingFetch });
}

const retryingFetch: typeof fetch = (input, init) =>
  retryConflicts(async () => {
    const answer = await fetch(input, init);
    if (answer.status === 503) throw new Error(await answer.text());
    return answer;
  });

export async function makeDesign(
  app: Addresses,
  person: Person,
  name = "Cover",
): Promise<{ projectId: Id<"projects">; designId: Id<"designs">; path: string }> {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
  const designId = await convex.mutation(api.designs.create, { projectId, name });
  return { projectId, designId, path: `/design/${designId}` };
}

export async function manyImages(app: RunningApp, person: Person, count: number): Promise<{ designId: Id<"designs">; path: string }> {
  const design = await makeDesign(app, person);
  const buffer = await sharp({ create: { width: 3, height: 2, channels: 3, background: "#357" } })
    .png()
    .toBuffer();
  const [first = ""] = await addPictures(app, person, design.designId, [{ name: "dot 1.png", mimeType: "image/png", buffer }]);
  const convex = await deploymentAs(app, person);
  for (let number = count; number > 1; number--) {
    const id = await convex.mutation(api.designImages.duplicate, { id: first });
    if (number > count - NAMED) await convex.mutation(api.designImages.rename, { id, name: `dot ${number}.png` });
  }
  return design;
}

const NAMED = 10;

export async function imagesIn(app: Addresses, person: Person, designId: Id<"designs">) {
  return (await deploymentAs(app, person)).query(api.designImages.getDesignImagesByDesignId, { designId });
}

export async function chosen(name: PictureName): Promise<ChosenFile> {
  const path = picturePath(name);
  return { name: basename(path), mimeType: "image/*", buffer: await readFile(path) };
}

export function send(
  app: Addresses,
  person: Person | null,
  designId: string,
  files: ChosenFile[],
  sending: string = randomUUID(),
): Promise<Response> {
  const form = new FormData();
  form.append("sending", sending);
  for (const { name, mimeType, buffer } of files) form.append("files", new File([new Uint8Array(buffer)], name, { type: mimeType }));
  return fetch(`${app.url}/uploads?design=${designId}`, {
    method: "POST",
    body: form,
    redirect: "manual",
    headers: { Origin: app.url, ...(person && { Cookie: person.cookieHeader }) },
  });
}

export async function addPictures(
  app: RunningApp,
  person: Person,
  designId: string,
  pictures: (PictureName | ChosenFile)[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const picture of pictures) {
    const file = typeof picture === "string" ? await chosen(picture) : picture;
    const response = await send(app, person, designId, [file]);
    const answer = await response.json();
    expect(answer.results, JSON.stringify(answer)).toEqual([{ name: file.name, ok: true, imageId: expect.any(String) }]);
    ids.push(answer.results[0].imageId);
  }
  return ids;
}

export async function addVersion(app: RunningApp, person: Person, designId: string, imageId: string, picture: PictureName | ChosenFile) {
  const { name, mimeType, buffer } = typeof picture === "string" ? await chosen(picture) : picture;
  const form = new FormData();
  form.append("sending", randomUUID());
  form.append("files", new File([new Uint8Array(buffer)], name, { type: mimeType }));
  const answer = await fetch(`${app.url}/design/${designId}/images/${imageId}`, {
    method: "POST",
    body: form,
    redirect: "manual",
    headers: { Origin: app.url, Cookie: person.cookieHeader },
  });
  expect(answer.status).toBe(303);
}

export async function replaceImageAndPicture(page: Page, imagePath: string, file: ChosenFile): Promise<void> {
  await page.goto(imagePath);
  await hydrated(page);
  await page.getByText("Details", { exact: true }).click();
  await page.getByLabel("Upload new version").setInputFiles(file);
  await expect(page.getByRole("region", { name: "Versions" }).getByRole("listitem")).toHaveText([/Version 2\s*Current/, /Version 1/]);
  await page.goto("/account");
  await hydrated(page);
  await page.getByLabel("New picture").setInputFiles(file);
  await page.getByRole("button", { name: "Save picture" }).click();
  await expect(page.getByText("Saved.")).toBeVisible();
}
