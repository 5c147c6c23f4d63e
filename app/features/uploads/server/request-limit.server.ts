import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { SMALLEST_CHUNK } from "../client/transfer/chunk-size";

export type RequestLimit = {
  /** Bytes of the largest request body that passed; null until a larger one was rejected. */
  known(): number | null;
  /** @param rejected bytes of a request that its page reported as rejected by the proxy */
  arrived(bytes: number, rejected?: number | null): Promise<void>;
};

/** Lifetime of a report in ms. The operator may raise the proxy's limit, but pages send no larger requests until the report expires. */
const VALID_MS = 24 * 60 * 60_000;

const storedSchema = z.object({ passed: z.int().positive(), rejected: z.int().positive(), at: z.number() });

export function openRequestLimit(path: string, now: () => number = Date.now): RequestLimit {
  let stored = read(path);
  let writing: Promise<void> = Promise.resolve();

  function store(next: typeof stored): Promise<void> {
    stored = next;
    return (writing = writing.then(() => write(path, next)));
  }
  const valid = () => (stored && now() - stored.at < VALID_MS ? stored : null);

  return {
    known() {
      const limit = valid();
      // Browsers send no smaller chunks, so a smaller value cannot be genuine.
      return limit && Math.max(limit.passed, SMALLEST_CHUNK);
    },
    async arrived(bytes, rejected = null) {
      // The request has passed the proxy, so an earlier report of this or a smaller size is outdated.
      const before = bytes < (valid()?.rejected ?? 0) ? valid() : null;
      const least = Math.min(before?.rejected ?? Infinity, rejected !== null && rejected > bytes ? rejected : Infinity);
      const passed = Math.max(bytes, before && before.passed < least ? before.passed : 0);
      if (least === Infinity) {
        if (valid()) await store(null);
      } else if (before?.rejected !== least || before.passed !== passed) {
        await store({ passed, rejected: least, at: rejected === null ? (before?.at ?? now()) : now() });
      }
    },
  };
}

function read(path: string): z.infer<typeof storedSchema> | null {
  try {
    // oxlint-disable-next-line node/no-sync -- Reads less than 100 bytes, once.
    return storedSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

async function write(path: string, stored: z.infer<typeof storedSchema> | null): Promise<void> {
  try {
    await writeFile(`${path}.tmp`, JSON.stringify(stored), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  } catch (error) {
    log.warn({ error }, "the request limit of the proxy could not be stored");
  }
}

const opened = new WeakMap<AppConfig, RequestLimit>();

export function requestLimitOf(config: AppConfig): RequestLimit {
  const existing = opened.get(config);
  if (existing) return existing;
  const limit = openRequestLimit(join(config.dataDir, "request-limit.json"));
  opened.set(config, limit);
  return limit;
}
