import { S3Error } from "@atelier/engine/s3-error";
import type { S3Client } from "@atelier/engine/s3-client";

/** A backup that was killed on another machine blocks the bucket for this time. */
const LEASE_MS = 10 * 60_000;
const RENEW_MS = LEASE_MS / 4;

export type LeaseClient = Pick<S3Client, "head" | "put" | "remove">;

export type LeaseOptions = {
  key: string;
  /** Identifies this machine and data folder. Its earlier lease is taken over, because a local lock excludes other processes here. */
  owner: string;
  what: string;
};

export type Lease = {
  /** Throws when another machine may use the bucket now. */
  require(): void;
  release(): Promise<void>;
};

/** Makes a bucket usable by one machine alone. Throws when another machine uses it. */
export async function leaseBucket(client: LeaseClient, { key, owner, what }: LeaseOptions): Promise<Lease> {
  const isUsed = () =>
    new Error(`Another machine takes a backup to ${what}. Wait until it has ended, or ${LEASE_MS / 60_000} minutes, then try again.`);
  const found = await client.head(key);
  if (found && found.owner !== owner && found.ageMs < LEASE_MS) throw isUsed();
  let etag = await write(found?.etag ?? null);
  let validUntil = Date.now() + LEASE_MS;
  const renewing = setInterval(() => void renew().catch(() => undefined), RENEW_MS).unref();

  /** Services without conditional writes answer 501, or ignore the condition. */
  async function write(previous: string | null): Promise<string> {
    const content = Buffer.from(`${new Date().toISOString()}\n`);
    const condition: Record<string, string> = previous === null ? { "If-None-Match": "*" } : { "If-Match": previous };
    try {
      return await client.put(key, content, { owner, condition });
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      if (error.status === 501) return client.put(key, content, { owner });
      if (error.status !== 412 && error.status !== 409) throw error;
      const now = await client.head(key);
      if (now?.owner === owner) return now.etag;
      throw isUsed();
    }
  }

  async function renew(): Promise<void> {
    const renewedAt = Date.now();
    etag = await write(etag);
    validUntil = renewedAt + LEASE_MS;
  }

  return {
    require() {
      if (Date.now() > validUntil) throw isUsed();
    },
    async release() {
      clearInterval(renewing);
      if (Date.now() < validUntil) await client.remove(key).catch(() => undefined);
    },
  };
}
