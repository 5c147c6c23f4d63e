import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import type { PartialUploads } from "./partial-uploads/partial-uploads.server";

const INTERVAL = 15_000;
const BATCH = 500;

/** Removes the uploads of accounts deleted by any server or command, now and every 15 s. Returns a function that stops it. */
export function removeUploadsOfDeletedAccounts(
  config: AppConfig,
  partialUploads: Pick<PartialUploads, "owners" | "removeOwner">,
): () => void {
  const isDeleted = (userIds: string[]) => serviceConvex(config).query(api.accounts.deleted.filter, { userIds });
  let isRunning = false;
  async function check(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    await removeDeletedOwners(partialUploads, isDeleted).catch((error: unknown) => {
      if (!(error instanceof Unavailable)) log.error({ error }, "uploads of deleted accounts may still be stored");
    });
    isRunning = false;
  }
  const timer = setInterval(() => void check(), INTERVAL);
  timer.unref();
  void check();
  return () => clearInterval(timer);
}

export async function removeDeletedOwners(
  partialUploads: Pick<PartialUploads, "owners" | "removeOwner">,
  filterDeleted: (userIds: string[]) => Promise<string[]>,
): Promise<void> {
  const owners = await partialUploads.owners();
  for (let from = 0; from < owners.length; from += BATCH)
    for (const ownerId of await filterDeleted(owners.slice(from, from + BATCH))) await partialUploads.removeOwner(ownerId);
}
