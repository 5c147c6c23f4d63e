import { setTimeout as sleep } from "node:timers/promises";
import type { FunctionArgs } from "convex/server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { api } from "#convex/_generated/api";

const RETRY_MS = 60_000;

/** Outcome of a scheduled backup. `name` is null when none was taken; `isProven` is false after a failed test. */
export type BackupOutcome = { name: string | null; isProven: boolean };

export type CommandRecord = FunctionArgs<typeof api.auditLog.recordCommand>;

/** Writes the events of the app server itself to the audit log, and repeats while the deployment is unavailable. */
export function operationRecorder(config: AppConfig) {
  const { auditLogRetentionDays: retentionDays, settingsFingerprints: fingerprints } = config;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function record(write: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      try {
        await write();
        return;
      } catch (error) {
        if (!(error instanceof Unavailable)) log.error({ from: "audit log", error }, "an event was not recorded");
        await sleep(RETRY_MS, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  return {
    start: () =>
      record(() =>
        serviceConvex(config).mutation(api.auditLog.recordStart, { retentionDays, fingerprints: { ...fingerprints } }, { skipQueue: true }),
      ),
    backup: ({ name, isProven }: BackupOutcome) =>
      record(() =>
        serviceConvex(config).mutation(api.auditLog.recordBackup, { isProven, ...(name !== null && { name }) }, { skipQueue: true }),
      ),
    /** Records what a command of the operator did. Throws while the deployment is unavailable. */
    async command(record: CommandRecord): Promise<void> {
      await serviceConvex(config).mutation(api.auditLog.recordCommand, record, { skipQueue: true });
    },
    close: () => stopping.abort(),
  };
}
