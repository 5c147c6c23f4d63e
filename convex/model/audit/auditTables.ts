import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import { memberRole } from "../memberRole";
import { AUDIT_ACTION_NAMES, AUDIT_CATEGORIES, EARLIER_ACTION_NAMES, SIGN_IN_METHODS } from "./auditActions";

const oneOf = <Name extends string>(names: readonly Name[]) => v.union(...names.map((name) => v.literal<Name>(name)));

export const auditAction = oneOf(AUDIT_ACTION_NAMES);
export const auditCategory = oneOf(AUDIT_CATEGORIES);
export const auditResult = v.union(v.literal("success"), v.literal("failure"));

/** "visitor": a signed-out person. "system": the app itself. */
export const auditActor = v.union(
  v.literal("user"),
  v.literal("visitor"),
  v.literal("administrator"),
  v.literal("operator"),
  v.literal("system"),
);
export type AuditActor = Infer<typeof auditActor>;

const EARLIER_TARGETS = ["project", "design", "image", "link", "accessToken", "webhook", "backup"] as const;

/** The object that an action changed. Names and contents are never stored. */
export const auditTarget = v.object({ kind: oneOf([...EARLIER_TARGETS, "snapshot"]), id: v.string() });
export type AuditTarget = Infer<typeof auditTarget>;

export const earlierAction = oneOf(EARLIER_ACTION_NAMES);
export const earlierTarget = v.object({ kind: oneOf(EARLIER_TARGETS), id: v.string() });

export const auditDetails = v.object({
  method: v.optional(oneOf(SIGN_IN_METHODS)),
  provider: v.optional(v.string()),
  reason: v.optional(v.string()),
  role: v.optional(memberRole),
  count: v.optional(v.number()),
  isReset: v.optional(v.boolean()),
  /** Further failures within the hour are not recorded. */
  isLast: v.optional(v.literal(true)),
  /** Names of settings, without values. */
  settings: v.optional(v.array(v.string())),
  job: v.optional(v.string()),
});
export type AuditDetails = Infer<typeof auditDetails>;

export const auditEvent = {
  at: v.number(),
  action: auditAction,
  category: auditCategory,
  result: auditResult,
  actor: auditActor,
  /** The account whose activity shows the event: of the person who acted or is concerned. A random id once that account is deleted. */
  userId: v.optional(v.string()),
  /** `otherUserId`: the acting administrator, or the member concerned. `address`: the client's network (IPv4: 24 bits, IPv6: 48 bits). */
  otherUserId: v.optional(v.string()),
  address: v.optional(v.string()),
  target: v.optional(auditTarget),
  details: v.optional(auditDetails),
};

export const auditTables = {
  /** Append-only: rows are inserted, made anonymous when their account is deleted, and deleted after the retention time. */
  auditEvents: defineTable(auditEvent)
    .index("by_user", ["userId", "at"])
    .index("by_user_category", ["userId", "category", "at"])
    .index("by_user_result", ["userId", "result", "at"])
    .index("by_user_category_result", ["userId", "category", "result", "at"])
    .index("by_other_user", ["otherUserId", "at"])
    .index("by_category", ["category", "at"])
    .index("by_category_result", ["category", "result", "at"])
    .index("by_result", ["result", "at"])
    .index("by_age", ["at"]),

  /** One row, written when an app server starts. No other function reads it, except the deletion of old events. */
  auditSettings: defineTable({
    retentionDays: v.number(),
    /** Keyed hashes of the settings' values by name, so that the next start finds changes. */
    fingerprints: v.record(v.string(), v.string()),
  }),
};
