import { createHash, randomUUID } from "node:crypto";
import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { appServer, type Backend, type Person } from "./backends.ts";

type ChosenAs = { batch: string; index: number };

export async function addImage(backend: Backend, person: Person, designId: Id<"designs">, name: string, chosenAs?: ChosenAs) {
  const file = await storedPicture(backend, person, name);
  const id = await (await appServer(backend)).mutation(api.uploads.finalize, { ...file, designId, ...(chosenAs && { chosenAs }) });
  return { id, storageId: file.storageId };
}

/** Adds a PDF, whose pages become images that share its file. */
export async function addPdf(backend: Backend, person: Person, designId: Id<"designs">, name: string, pageCount: number) {
  const file = { ...(await storedPicture(backend, person, name)), contentType: "application/pdf" };
  const pages = Array.from({ length: pageCount }, () => ({ width: 40, height: 30, placeholder: null }));
  const id = await (await appServer(backend)).mutation(api.uploads.finalize, { ...file, designId, pages });
  return { id, storageId: file.storageId };
}

export async function addVersion(backend: Backend, person: Person, imageId: Id<"designImages">, name: string) {
  const file = await storedPicture(backend, person, name);
  const id = await (await appServer(backend)).mutation(api.versions.finalize, { ...file, imageId });
  return { id, storageId: file.storageId };
}

export async function addCommentImage(backend: Backend, person: Person, itemId: string, name: string, quota?: number) {
  const file = await storedPicture(backend, person, name);
  const args = { ...file, itemId, ...(quota !== undefined && { quota }) };
  const { _id } = await (await appServer(backend)).mutation(api.commentImages.finalize, args);
  return { id: _id, storageId: file.storageId, size: file.size };
}

async function storedPicture(backend: Backend, person: Person, name: string) {
  const content = new TextEncoder().encode(`${name} ${randomUUID()}`);
  return {
    sessionId: person.sessionId,
    uploadId: randomUUID(),
    storageId: await backend.store(content),
    name,
    contentType: "image/png",
    size: content.length,
    width: 40,
    height: 30,
    checksum: createHash("sha256").update(content).digest("hex"),
    placeholder: null,
    animated: false,
  };
}
