import { createHash, randomUUID } from "node:crypto";
import { api } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import { appServer, type Backend, type Person } from "./backends.ts";

/** Brings a picture into a design the way the app server does: a stored file, then its row. */
export async function addImage(backend: Backend, person: Person, designId: Id<"designs">, name: string) {
  const content = new TextEncoder().encode(`${name} ${randomUUID()}`);
  const storageId = await backend.store(content);
  const server = await appServer(backend);
  const id = await server.mutation(api.uploads.finalize, {
    sessionId: person.sessionId,
    designId,
    uploadId: randomUUID(),
    storageId,
    name,
    contentType: "image/png",
    size: content.length,
    width: 40,
    height: 30,
    checksum: createHash("sha256").update(content).digest("hex"),
    placeholder: null,
    animated: false,
  });
  return { id, storageId };
}
