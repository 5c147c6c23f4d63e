import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import sharp from "sharp";
import { api } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.d.ts";
import { type ChosenFile, type PictureName, picturePath } from "../fixtures/pictures.ts";
import { expect, type Person, type RunningApp } from "../harness/test.ts";

/** The deployment in somebody's name, by another way than the pages'. */
export async function deploymentAs(app: RunningApp, person: Person): Promise<ConvexHttpClient> {
  return (await clientsOf(app, person))();
}

/** Makes clients of the deployment in somebody's name: each has a time of its own, at which its consistent queries are answered. */
export async function clientsOf(app: RunningApp, person: Person): Promise<() => ConvexHttpClient> {
  const answer = await fetch(`${app.url}/api/auth/convex/token`, { headers: { Cookie: person.cookieHeader } });
  const { token } = await answer.json();
  return () => new ConvexHttpClient(app.deployment.url, { auth: String(token), logger: false });
}

/** Makes an empty design in a project of its own; answers its id and its page's path. */
export async function makeDesign(app: RunningApp, person: Person, name = "Cover"): Promise<{ designId: Id<"designs">; path: string }> {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Magazine" });
  const designId = await convex.mutation(api.designs.create, { projectId, name });
  return { designId, path: `/design/${designId}` };
}

/**
 * Makes a design with many small images, of which the last ten are called by their number, as in "dot 205.png": one is sent, the others are its
 * copies, which costs a write each instead of a picture's whole way.
 */
export async function manyImages(app: RunningApp, person: Person, count: number): Promise<{ designId: Id<"designs">; path: string }> {
  const design = await makeDesign(app, person);
  const buffer = await sharp({ create: { width: 3, height: 2, channels: 3, background: "#357" } })
    .png()
    .toBuffer();
  const [first = ""] = await addPictures(app, person, design.designId, [{ name: "dot 1.png", mimeType: "image/png", buffer }]);
  const convex = await deploymentAs(app, person);
  // Each copy comes right after what it is made of.
  for (let number = count; number > 1; number--) {
    const id = await convex.mutation(api.designImages.duplicate, { id: first });
    if (number > count - NAMED) await convex.mutation(api.designImages.rename, { id, name: `dot ${number}.png` });
  }
  return design;
}

const NAMED = 10;

/** What the deployment holds in a design. */
export async function imagesIn(app: RunningApp, person: Person, designId: Id<"designs">) {
  return (await deploymentAs(app, person)).query(api.designImages.getDesignImagesByDesignId, { designId });
}

/** A picture of the fixtures as a file to choose. */
export async function chosen(name: PictureName): Promise<ChosenFile> {
  const path = picturePath(name);
  return { name: basename(path), mimeType: "image/*", buffer: await readFile(path) };
}

/** Sends files as the page's script does; `sending` names the form. */
export function send(
  app: RunningApp,
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

/** Brings pictures into a design, one after the other, and answers their ids. */
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

/** Gives an image a new version, which becomes the current one: as the form of its page does without scripts. */
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
