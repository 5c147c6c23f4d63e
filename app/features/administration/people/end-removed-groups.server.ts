import type { AppConfig } from "~/config";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { log } from "~/lib/http/telemetry/log.server";
import { api } from "#convex/_generated/api";

/** Ends administrator roles from groups that the settings no longer name. Sessions store the group of their sign-in. */
export function endRemovedGroups(config: AppConfig): void {
  const groups = config.issuers.flatMap(({ id, adminGroup }) => (adminGroup === null ? [] : [{ issuer: id, adminGroup }]));
  serviceConvex(config)
    .mutation(api.accounts.administrators.keepGroups, { groups }, { skipQueue: true })
    .catch((error: unknown) => log.warn({ from: "administration", error }, "roles of removed groups could not be ended"));
}
