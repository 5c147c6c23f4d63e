import { defineTable } from "convex/server";
import { v } from "convex/values";

/** Written only through `store.ts` (specification, section 3). Other tables use Better Auth's `id`, never `_id`. Dates are in ms. */
const nullable = { string: v.optional(v.union(v.string(), v.null())), date: v.optional(v.union(v.number(), v.null())) };

export const accountTables = {
  users: defineTable({
    id: v.string(),
    name: v.string(),
    email: v.string(),
    emailVerified: v.boolean(),
    image: nullable.string,
    createdAt: v.number(),
    updatedAt: v.number(),
    twoFactorEnabled: v.optional(v.union(v.boolean(), v.null())),
    stripeCustomerId: nullable.string,
    /** Better Auth does not have these fields, so that none of its endpoints returns or changes them (decision 213). */
    isAdministrator: v.optional(v.literal(true)),
    disabledAt: v.optional(v.number()),
    quotaBytes: v.optional(v.number()),
  })
    .index("id", ["id"])
    .index("email", ["email"])
    .index("stripeCustomerId", ["stripeCustomerId"])
    .index("isAdministrator", ["isAdministrator"])
    .index("disabledAt", ["disabledAt"])
    .searchIndex("search_name", { searchField: "name" })
    .searchIndex("search_email", { searchField: "email" }),

  accounts: defineTable({
    id: v.string(),
    userId: v.string(),
    providerId: v.string(),
    accountId: v.string(),
    password: nullable.string,
    accessToken: nullable.string,
    refreshToken: nullable.string,
    idToken: nullable.string,
    accessTokenExpiresAt: nullable.date,
    refreshTokenExpiresAt: nullable.date,
    scope: nullable.string,
    createdAt: v.number(),
    updatedAt: v.number(),
  })
    .index("id", ["id"])
    .index("accountId", ["accountId", "providerId"])
    .index("userId", ["userId", "providerId"]),

  sessions: defineTable({
    id: v.string(),
    token: v.string(),
    userId: v.string(),
    expiresAt: v.number(),
    createdAt: v.number(),
    updatedAt: v.number(),
    ipAddress: nullable.string,
    userAgent: nullable.string,
    /** Hash of the device cookie (`app/features/accounts/auth-api/plugins/device.server.ts`). */
    device: nullable.string,
    /** Set if the session began at an OpenID Connect issuer: its provider id, and its ids of the user and the session. */
    issuer: nullable.string,
    issuerSubject: nullable.string,
    issuerSession: nullable.string,
    /** The issuer's administrator group of which the user was a member at this sign-in. */
    adminGroup: nullable.string,
  })
    .index("id", ["id"])
    .index("token", ["token"])
    .index("userId", ["userId", "expiresAt"])
    .index("expiresAt", ["expiresAt"])
    .index("issuerSubject", ["issuer", "issuerSubject"])
    .index("issuerSession", ["issuer", "issuerSession"])
    .index("adminGroup", ["adminGroup"]),

  verifications: defineTable({
    id: v.string(),
    identifier: v.string(),
    value: v.string(),
    expiresAt: v.number(),
    createdAt: v.number(),
    updatedAt: v.number(),
  })
    .index("id", ["id"])
    .index("identifier", ["identifier", "createdAt"])
    .index("value", ["value"])
    .index("expiresAt", ["expiresAt"]),

  /** The app server encrypts the secret and backup codes. */
  twoFactors: defineTable({
    id: v.string(),
    userId: v.string(),
    secret: v.string(),
    backupCodes: v.string(),
    verified: v.optional(v.union(v.boolean(), v.null())),
    failedVerificationCount: v.optional(v.number()),
    lockedUntil: nullable.date,
  })
    .index("id", ["id"])
    .index("userId", ["userId"]),

  passkeys: defineTable({
    id: v.string(),
    userId: v.string(),
    credentialID: v.string(),
    publicKey: v.string(),
    counter: v.number(),
    deviceType: v.string(),
    backedUp: v.boolean(),
    transports: nullable.string,
    name: nullable.string,
    aaguid: nullable.string,
    createdAt: nullable.date,
  })
    .index("id", ["id"])
    .index("userId", ["userId"])
    .index("credentialID", ["credentialID"]),

  /** `@better-auth/stripe`; `referenceId` is the user id. */
  subscriptions: defineTable({
    id: v.string(),
    plan: v.string(),
    referenceId: v.string(),
    stripeCustomerId: nullable.string,
    stripeSubscriptionId: nullable.string,
    status: v.string(),
    periodStart: nullable.date,
    periodEnd: nullable.date,
    trialStart: nullable.date,
    trialEnd: nullable.date,
    cancelAtPeriodEnd: v.optional(v.union(v.boolean(), v.null())),
    cancelAt: nullable.date,
    canceledAt: nullable.date,
    endedAt: nullable.date,
    seats: v.optional(v.union(v.number(), v.null())),
    billingInterval: nullable.string,
    stripeScheduleId: nullable.string,
  })
    .index("id", ["id"])
    .index("referenceId", ["referenceId"])
    .index("stripeSubscriptionId", ["stripeSubscriptionId"])
    .index("stripeCustomerId", ["stripeCustomerId"]),

  rateLimits: defineTable({
    id: v.string(),
    key: v.string(),
    count: v.number(),
    lastRequest: v.number(),
  })
    .index("id", ["id"])
    .index("key", ["key"])
    .index("lastRequest", ["lastRequest"]),
};

export const uniqueIndexes: Record<keyof typeof accountTables, string[]> = {
  users: ["id", "email"],
  accounts: ["id", "accountId"],
  sessions: ["id", "token"],
  verifications: ["id"],
  twoFactors: ["id", "userId"],
  passkeys: ["id", "credentialID"],
  subscriptions: ["id", "stripeSubscriptionId"],
  rateLimits: ["id", "key"],
};
