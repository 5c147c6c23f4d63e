import type { Id } from "../convex/_generated/dataModel.d.ts";
import type { Backend, Person } from "../tests/convex/backends.ts";
import { probe } from "../tests/convex/probe-references.ts";

const BATCH = 500;

export async function insertPerson(backend: Backend, name: string): Promise<Person> {
  const userId = name.toLowerCase().replaceAll(" ", "");
  const sessionId = `session of ${userId}`;
  const times = { createdAt: Date.now(), updatedAt: Date.now() };
  const user = { id: userId, name, email: `${userId}@example.com`, emailVerified: true, ...times };
  await backend.inside.mutation(probe.insert, { table: "users", row: user });
  const session = { id: sessionId, token: userId, userId, expiresAt: Date.now() + 3_600_000, ...times };
  await backend.inside.mutation(probe.insert, { table: "sessions", row: session });
  return { userId, sessionId, ...(await backend.holder({ subject: userId, audience: "atelier-user", sessionId })) };
}

export async function insertImages(
  backend: Backend,
  { userId }: Person,
  designId: Id<"designs">,
  count: number,
  fieldsAt: (index: number) => { name: string; words?: string },
): Promise<void> {
  const shared = {
    ownerId: userId,
    designId,
    storageId: await backend.store(new Uint8Array(1)),
    contentType: "image/png",
    size: 1,
    width: 40,
    height: 30,
    checksum: "0".repeat(64),
    placeholder: null,
    animated: false,
  };
  for (let from = 0; from < count; from += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, count - from) }, (_, place) => from + place);
    const rows = indexes.map((index) => ({ ...shared, uploadId: `${designId} ${index}`, ...fieldsAt(index) }));
    await backend.inside.mutation(probe.insertMany, { table: "designImages", rows });
  }
}
