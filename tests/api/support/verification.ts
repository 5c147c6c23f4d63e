import { randomUUID } from "node:crypto";
import type { Store } from "../../harness/store.ts";

const HOUR = 3_600_000;

export async function verification(store: Store, identifier: string, value: string, endsIn = HOUR): Promise<void> {
  const now = Date.now();
  await store.create("verifications", { id: randomUUID(), identifier, value, expiresAt: now + endsIn, createdAt: now, updatedAt: now });
}
