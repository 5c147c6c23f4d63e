import { getCurrentAuthEndpointContext } from "@better-auth/core/context";
import type { BetterAuthPlugin, GenericEndpointContext } from "better-auth";
import { recordSubject } from "../../auth-call.server";
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from "better-auth/api";

/** Maximum consecutive failures of a user, across all second factors and sign-ins, before the lock. */
const MAX_FAILURES = 10;
const LOCK_MS = 15 * 60 * 1000;

const MODEL = "twoFactor";
const PATHS = new Set(["/two-factor/verify-totp", "/two-factor/verify-otp", "/two-factor/verify-backup-code"]);
const WRONG = new Set(["INVALID_CODE", "INVALID_BACKUP_CODE"]);

type Row = { id: string; failedVerificationCount?: number | null; lockedUntil?: Date | null };
type Where = Parameters<GenericEndpointContext["context"]["adapter"]["incrementOne"]>[0]["where"];

/** Locks the second factor after too many failures. Better Auth counts after comparing, so parallel guesses would pass its limit. */
export function secondFactorAttempts() {
  const counted = new WeakMap<object, string>();
  const matcher = ({ path }: { path?: string }) => PATHS.has(path ?? "");
  return {
    id: "second-factor-attempts",
    hooks: {
      before: [
        {
          matcher,
          handler: createAuthMiddleware(async (ctx) => {
            const userId = (await getSessionFromCtx(ctx, { disableCookieCache: true })) ? null : await challengedUser(ctx);
            if (userId === null) return;
            const row = await ctx.context.adapter.findOne<Row>({ model: MODEL, where: [{ field: "userId", value: userId }] });
            if (!row) return;
            const change = conditionalIncrement(ctx, row.id);
            await change([{ field: "lockedUntil", operator: "lte", value: new Date() }], 0, {
              failedVerificationCount: 0,
              lockedUntil: null,
            });
            const below: Where = [{ field: "failedVerificationCount", operator: "lt", value: MAX_FAILURES }];
            // Rows of earlier versions of Better Auth have no count.
            const none: Where = [{ field: "failedVerificationCount", value: null }];
            if (!(await change(below, 1)) && !(await change(none, 1))) {
              await lock(ctx, row.id);
              throw new APIError("TOO_MANY_REQUESTS", { code: "ACCOUNT_TEMPORARILY_LOCKED", message: LOCKED });
            }
            counted.set(getCurrentAuthEndpointContext(), row.id);
          }),
        },
      ],
      after: [
        {
          matcher,
          handler: createAuthMiddleware(async (ctx) => {
            const id = counted.get(getCurrentAuthEndpointContext());
            if (id === undefined) return;
            const change = conditionalIncrement(ctx, id);
            const { returned } = ctx.context;
            if (!isAPIError(returned)) await change([], 0, { failedVerificationCount: 0, lockedUntil: null });
            else if (WRONG.has(String(returned.body?.code))) await lock(ctx, id);
            else await change([{ field: "failedVerificationCount", operator: "gt", value: 0 }], -1, { lockedUntil: null });
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}

const LOCKED = "Too many failed verification attempts. Your account is temporarily locked. Please try again later.";

export async function challengedUser(ctx: GenericEndpointContext): Promise<string | null> {
  const { name } = ctx.context.createAuthCookie("two_factor");
  const challenge = await ctx.getSignedCookie(name, ctx.context.secret);
  const started = challenge ? await ctx.context.internalAdapter.findVerificationValue(challenge) : null;
  recordSubject("users", { id: started?.value });
  return started?.value ?? null;
}

const conditionalIncrement =
  ({ context: { adapter } }: GenericEndpointContext, id: string) =>
  (where: Where, by: number, set?: Partial<Omit<Row, "id">>) =>
    adapter.incrementOne<Row>({
      model: MODEL,
      where: [{ field: "id", value: id }, ...where],
      increment: by === 0 ? {} : { failedVerificationCount: by },
      ...(set && { set }),
    });

async function lock(ctx: GenericEndpointContext, id: string): Promise<void> {
  await conditionalIncrement(ctx, id)(
    [
      { field: "failedVerificationCount", operator: "gte", value: MAX_FAILURES },
      { field: "lockedUntil", value: null },
    ],
    0,
    { lockedUntil: new Date(Date.now() + LOCK_MS) },
  );
}
