import type { GenericDatabaseWriter } from "convex/server";
import type { DataModel } from "../../_generated/dataModel";
import { AUDIT_ACTIONS, type AuditAction, type AuditCategory } from "./auditActions";
import type { AuditActor, AuditDetails, AuditTarget } from "./auditTables";

type Named<Rule, Kind extends "details" | "optional"> =
  Rule extends Record<Kind, readonly (infer Name)[]> ? Name & keyof AuditDetails : never;
type DetailsOf<Rule> = { [Name in Named<Rule, "details">]-?: NonNullable<AuditDetails[Name]> } & {
  [Name in Named<Rule, "optional">]?: AuditDetails[Name];
};
type WithDetails<Rule> =
  Rule extends Record<"details", unknown>
    ? { details: DetailsOf<Rule> }
    : Rule extends Record<"optional", unknown>
      ? { details?: DetailsOf<Rule> | undefined }
      : { details?: undefined };

export type AuditEvent = {
  [Action in AuditAction]: { action: Action; target?: AuditTarget | undefined } & WithDetails<(typeof AUDIT_ACTIONS)[Action]>;
}[AuditAction];

/** Who acted, from where, and on whose account. By default the caller of the function, on their own account. */
export type AuditOrigin = {
  actor?: AuditActor | undefined;
  userId?: string | undefined;
  otherUserId?: string | undefined;
  address?: string | undefined;
  /** Time of an event that is recorded later (milliseconds since 1970). Default: now. */
  at?: number | undefined;
};

type AuditCtx = {
  db: Pick<GenericDatabaseWriter<DataModel>, "insert">;
  user?: { id: string } | undefined;
  address?: string | undefined;
};

/** Writes an event in the caller's transaction with one insert and no reads, so that it causes no write conflicts. */
export async function recordAuditEvent({ db, user, address }: AuditCtx, event: AuditEvent, origin: AuditOrigin = {}): Promise<void> {
  const { action, target, details } = event;
  const rule: { category: AuditCategory; result?: "failure" } = AUDIT_ACTIONS[action];
  const userId = origin.userId ?? user?.id;
  const from = origin.address ?? address;
  await db.insert("auditEvents", {
    at: origin.at ?? Date.now(),
    action,
    category: rule.category,
    result: rule.result ?? "success",
    actor: origin.actor ?? (user ? "user" : "system"),
    ...(userId !== undefined && { userId }),
    ...(origin.otherUserId !== undefined && { otherUserId: origin.otherUserId }),
    ...(from !== undefined && { address: from }),
    ...(target && { target }),
    ...(details && { details }),
  });
}
