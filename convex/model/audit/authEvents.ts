import { type Infer, v, type Value } from "convex/values";
import type { SignInMethod } from "./auditActions";
import type { AuditEvent, AuditOrigin } from "./recordAuditEvent";

/** The app server's request to Better Auth that causes a write. Absent for calls of earlier builds. */
export const authRequest = v.object({
  /** Path below /api/auth; absent for calls without a request. */
  path: v.optional(v.string()),
  address: v.optional(v.string()),
  provider: v.optional(v.string()),
  replacesSession: v.optional(v.boolean()),
  /** The deleted session was created in this request, and a second factor is still missing. */
  endsOwnSession: v.optional(v.boolean()),
  actor: v.optional(v.union(v.literal("operator"), v.literal("administrator"))),
  actorId: v.optional(v.string()),
  userId: v.optional(v.string()),
});
export type AuthRequest = Infer<typeof authRequest>;

type Fields = Record<string, Value | undefined>;
export type AuthEvent = { event: AuditEvent; origin: AuditOrigin };

export type Lookups = {
  hasTwoFactor: (userId: string) => Promise<boolean>;
  isFirstAccount: (userId: string) => Promise<boolean>;
};

const OWN_METHODS: Record<string, SignInMethod> = {
  "/sign-in/email": "password",
  "/sign-up/email": "signUp",
  "/magic-link/verify": "link",
  "/sign-in/email-otp": "code",
  "/passkey/verify-authentication": "passkey",
  "/two-factor/verify-totp": "authenticator",
  "/two-factor/verify-otp": "mailedCode",
  "/two-factor/verify-backup-code": "backupCode",
  "/verify-email": "verification",
};
const CALLBACK = /^\/callback\/([^/]+)\/?$/;
const SOCIAL = "/sign-in/social";
/** Sign-ins that a second factor follows (`app/features/accounts/auth-api/plugins/credentials/second-factor.server.ts`). */
const CHALLENGED: readonly SignInMethod[] = ["password", "link", "code", "provider"];

export function signInMethod({ path = "", provider }: Pick<AuthRequest, "path" | "provider">): { method: SignInMethod; provider?: string } {
  const named = CALLBACK.exec(path)?.[1] ?? (path === SOCIAL ? provider : undefined);
  if (named !== undefined) return { method: "provider", provider: named };
  return { method: OWN_METHODS[path] ?? "other" };
}

export async function eventsOfWrite(
  model: string,
  before: Fields | null,
  after: Fields,
  request: AuthRequest,
  lookups: Lookups,
): Promise<AuthEvent[]> {
  const userId = text(after[model === "users" ? "id" : model === "verifications" ? "value" : "userId"]);
  const events = userId === "" ? [] : await written(model, before, after, { request, userId, lookups });
  return events.map((event) => ({ event, origin: originOf(request, userId) }));
}

export function eventsOfDeletion(model: string, rows: Fields[], request: AuthRequest): AuthEvent[] {
  if (model === "sessions") return sessionsEnded(rows, request);
  return rows.flatMap((row) => {
    const userId = text(row[model === "users" ? "id" : "userId"]);
    const event = userId === "" ? null : deleted(model, row);
    return event ? [{ event, origin: originOf(request, userId) }] : [];
  });
}

type Write = { request: AuthRequest; userId: string; lookups: Lookups };

async function written(model: string, before: Fields | null, after: Fields, write: Write): Promise<AuditEvent[]> {
  switch (model) {
    case "users":
      return before ? userChanged(before, after) : [{ action: "account.created", details: signInMethod(write.request) }];
    case "accounts":
      return accountWritten(before, after, write);
    case "sessions":
      return before ? [] : sessionCreated(write);
    case "passkeys":
      return before ? [] : [{ action: "passkey.added" }];
    case "twoFactors":
      return before ? factorChanged(before, after, write) : [];
    case "verifications":
      return before ? [] : tokenCreated(after, write);
    default:
      return [];
  }
}

function userChanged(before: Fields, after: Fields): AuditEvent[] {
  const events: AuditEvent[] = [];
  if (before["email"] !== after["email"]) events.push({ action: "email.changed" });
  if (before["emailVerified"] !== true && after["emailVerified"] === true) events.push({ action: "email.verified" });
  const isEnabled = after["twoFactorEnabled"] === true;
  if ((before["twoFactorEnabled"] === true) !== isEnabled) events.push({ action: isEnabled ? "twoFactor.enabled" : "twoFactor.disabled" });
  return events;
}

async function accountWritten(before: Fields | null, after: Fields, { request, userId, lookups }: Write): Promise<AuditEvent[]> {
  const provider = text(after["providerId"]);
  if (!before) {
    if (await lookups.isFirstAccount(userId)) return [];
    return [provider === "credential" ? { action: "password.added" } : { action: "account.linked", details: { provider } }];
  }
  if (before["password"] === after["password"]) return [];
  return [{ action: "password.changed", details: { isReset: /reset-password/.test(request.path ?? "") } }];
}

async function sessionCreated({ request, userId, lookups }: Write): Promise<AuditEvent[]> {
  if (request.replacesSession === true) return [];
  const details = signInMethod(request);
  const isChallenged = CHALLENGED.includes(details.method) && (await lookups.hasTwoFactor(userId));
  return [{ action: isChallenged ? "signIn.challenged" : "signIn.succeeded", details }];
}

function factorChanged(before: Fields, after: Fields, { request }: Write): AuditEvent[] {
  if (isSet(after["lockedUntil"]) && !isSet(before["lockedUntil"])) return [{ action: "secondFactor.locked" }];
  const isNewCodes = request.path === "/two-factor/generate-backup-codes" && before["backupCodes"] !== after["backupCodes"];
  return isNewCodes ? [{ action: "backupCodes.created" }] : [];
}

/** Tokens whose `value` is a user id. The operator's sign-in link names the user in the request. */
function tokenCreated(after: Fields, { request }: Write): AuditEvent[] {
  const identifier = text(after["identifier"]);
  if (identifier.startsWith("reset-password:")) return [{ action: "password.resetRequested" }];
  if (identifier.startsWith("magic-link:") && request.actor !== undefined) return [{ action: "signInLink.created" }];
  if (!identifier.startsWith("trust-device-")) return [];
  const isSignIn = CHALLENGED.includes(signInMethod(request).method);
  return [isSignIn ? { action: "signIn.succeeded", details: { method: "trustedDevice" } } : { action: "device.trusted" }];
}

function deleted(model: string, row: Fields): AuditEvent | null {
  switch (model) {
    case "users":
      return { action: "account.deleted" };
    case "accounts":
      return { action: "account.unlinked", details: { provider: text(row["providerId"]) } };
    case "passkeys":
      return { action: "passkey.removed" };
    default:
      return null;
  }
}

/** Requests that record an event of their own, or that replace the session. */
const SILENT = /^\/(?:two-factor\/|delete-user|get-session)/;

function sessionsEnded(rows: Fields[], request: AuthRequest): AuthEvent[] {
  const { path = "", endsOwnSession = false } = request;
  if (SILENT.test(path) || endsOwnSession) return [];
  const now = Date.now();
  const ended = rows.filter(({ expiresAt }) => typeof expiresAt === "number" && expiresAt > now);
  return [...Map.groupBy(ended, (row) => text(row["userId"]))].flatMap(([userId, { length }]): AuthEvent[] => {
    const origin = originOf(request, userId);
    if (path === "/sign-out") return [{ event: { action: "session.ended" }, origin }];
    const count = path === "/change-password" ? length - 1 : length;
    return count > 0 ? [{ event: { action: "session.revoked", details: { count } }, origin }] : [];
  });
}

const SIGNED_OUT = /^\/(?:request-password-reset|forget-password|email-otp\/|reset-password)/;

const ISSUER_LOGOUT = "/oidc/";

export const deletionOrigin = (request: AuthRequest, userId: string): AuditOrigin => originOf(request, userId);

function originOf({ path = "", address, actor, actorId, userId }: AuthRequest, ofRow: string): AuditOrigin {
  const by = actor ?? (SIGNED_OUT.test(path) ? "visitor" : path.startsWith(ISSUER_LOGOUT) ? "system" : "user");
  return {
    actor: by,
    userId: userId ?? ofRow,
    ...(address !== undefined && { address }),
    ...(actorId !== undefined && { otherUserId: actorId }),
  };
}

const isSet = (value: Value | undefined): boolean => value !== undefined && value !== null;

const text = (value: Value | undefined): string => (typeof value === "string" ? value : "");
